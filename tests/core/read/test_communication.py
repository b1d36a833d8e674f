"""What is known of each communication: from arguments, else from names and shapes."""

import pytest

from build import Collective, annotation, capture, kernel, op
from vpstop.read.capture import Group, Shape
from vpstop.read.communication import (
    OPERATIONS,
    Communication,
    communication,
    element_bytes,
    operation_of,
)


def operations(table: Communication) -> list[str]:
    return [OPERATIONS[code] for code in table.operation]


@pytest.mark.parametrize(
    ("name", "operation"),
    [
        ("allreduce_coalesced", "all_reduce"),
        ("_allgather_base", "all_gather"),
        ("reduce_scatter_tensor_coalesced", "reduce_scatter"),
        ("all_to_allv", "all_to_all"),
        ("_broadcast_oop", "broadcast"),
        ("ncclKernel_AllReduce_RING_LL_Sum_float(ncclDevComm*)", "all_reduce"),
        ("ncclDevKernel_ReduceScatter_Sum_f32_RING_LL", "reduce_scatter"),
        ("ncclDevKernel_Reduce_Sum_f32_RING_LL", "reduce"),
        ("void vllm::cross_device_reduce_1stage<__half, 2>", "reduce"),
        ("ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)", "unknown"),
        ("ncclDevKernel_Generic_1(ncclDevKernelArgs)", "unknown"),
        ("gloo:recv", "recv"),
    ],
)
def test_operations_are_read_from_all_spellings(name: str, operation: str) -> None:
    assert operation_of(name) == operation


def test_element_sizes_know_both_vocabularies() -> None:
    names = ("Float", "c10::BFloat16", "long int", "Float8_e4m3fn", "Quaternion")
    assert [element_bytes(name) for name in names] == [4, 2, 8, 1, -1]


def test_arguments_of_a_kernel_tell_everything() -> None:
    said = Collective(
        "allreduce",
        "BFloat16",
        in_elements=1000,
        out_elements=1000,
        group_size=2,
        group_name="7",
        group_ranks="[4, 5]",
        sequence=12,
    )
    table = communication(capture(kernel("ncclDevKernel_X", 0, 10, collective=said)))
    assert operations(table) == ["all_reduce"]
    assert table.groups[table.group[0]] == Group("7", "", (4, 5), 2)
    assert (table.in_bytes[0], table.out_bytes[0], table.sequence[0]) == (2000, 2000, 12)


def test_a_shortened_rank_list_is_completed() -> None:
    configured = Group("0", "default_pg", tuple(range(64)), 64)
    shortened = Collective(group_name="0", group_size=64, group_ranks="[0, 1, ..., 63]")
    by_stride = Collective(
        group_name="9", group_size=3, group_ranks="[0, ..., 8]", rank_start=0, rank_stride=4
    )
    made = capture(
        kernel("nccl", 0, 10, collective=shortened),
        kernel("nccl", 20, 10, collective=by_stride),
        groups=[configured],
    )
    table = communication(made)
    ranks = [table.groups[code].ranks for code in table.group]
    assert ranks == [tuple(range(64)), (0, 4, 8)]


def test_a_kernel_without_arguments_keeps_its_operation_only() -> None:
    made = capture(kernel("ncclDevKernel_AllGather_RING_LL", 0, 10), kernel("gemm", 20, 10))
    table = communication(made)
    assert operations(table) == ["all_gather"]
    assert (table.group[0], table.in_bytes[0], table.sequence[0], table.peer[0]) == (-1,) * 4


def test_spans_are_the_communication_of_a_rank_without_device() -> None:
    shape = Shape("[[256, 4]]", '["float"]')
    made = capture(
        annotation("gloo:all_reduce", 30, 10, shape=shape),
        annotation("gloo:send 0->2", 10, 10),
        op("c10d::allreduce_", 0, 5),
    )
    table = communication(made)
    assert operations(table) == ["send", "all_reduce"]
    assert table.peer.tolist() == [2, -1]
    assert table.in_bytes.tolist() == [-1, 4096]


def test_spans_do_not_count_where_kernels_do() -> None:
    made = capture(annotation("nccl:all_reduce", 0, 10), kernel("ncclDevKernel_Reduce_Sum", 5, 10))
    assert operations(communication(made)) == ["reduce"]


def test_unreadable_shapes_are_unknown_not_an_error() -> None:
    made = capture(annotation("gloo:reduce", 0, 10, shape=Shape("[[8", "")))
    assert communication(made).in_bytes.tolist() == [-1]


def test_nothing_to_say_gives_an_empty_table() -> None:
    assert len(communication(capture(op("aten::mm", 0, 10)))) == 0
