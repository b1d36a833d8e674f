"""Short names keep what tells one slice from another."""

import pytest

from vpstop.tui.labels import SHADES, label_codes, shade_of, short_name

ELEMENTWISE = "void at::native::vectorized_elementwise_kernel<4, at::native::{}>(int, float)"


@pytest.mark.parametrize(
    ("name", "short"),
    [
        ("aten::mm", "aten::mm"),
        ("volta_sgemm_64x64_nt", "volta_sgemm_64x64_nt"),
        (
            "ncclKernel_AllReduce_RING_LL_Sum_float(ncclDevComm*)",
            "nccl AllReduce_RING_LL_Sum_float",
        ),
        ("ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)", "nccl SendRecv"),
        ("Memcpy HtoD (Pageable -> Device)", "Memcpy HtoD"),
        ("autograd::engine::evaluate_function: AddmmBackward0", "AddmmBackward0"),
        ("torch/nn/modules/module.py(1501): _call_impl", "_call_impl"),
        ("enumerate(DataLoader)#_Iter.__next__", "enumerate(DataLoader)#_Iter.__next__"),
        ("<built-in method add of object at 0x7f>", "<built-in method add of object at 0x7f>"),
        ("void cudnn::ops::nchwToNhwcKernel<float, int>(int, float const*)", "nchwToNhwcKernel"),
        (
            "void cutlass::Kernel<cutlass_80_gemm_tn>(cutlass_80_gemm_tn::Params)",
            "cutlass_80_gemm_tn",
        ),
        (
            "void at::native::(anonymous namespace)::CatArrayBatchedCopy<float, 2>(float*)",
            "CatArrayBatchedCopy",
        ),
        (
            ELEMENTWISE.format("CUDAFunctor_add<float>, at::detail::Array<char*, 3> "),
            "add vectorized_elementwise_kernel",
        ),
        (
            ELEMENTWISE.format(
                "AUnaryFunctor<float, at::native::binary_internal::MulFunctor<float> > "
            ),
            "Mul vectorized_elementwise_kernel",
        ),
        (
            ELEMENTWISE.format("sqrt_kernel_cuda(at::TensorIteratorBase&)::{lambda()#2} "),
            "sqrt vectorized_elementwise_kernel",
        ),
        ("Cijk_Ailk_Bljk_HHS_BH_MT64x64 [clone .kd]", "Cijk_Ailk_Bljk_HHS_BH_MT64x64"),
        ("", ""),
    ],
)
def test_short_names(name: str, short: str) -> None:
    assert short_name(name) == short


def test_a_label_has_one_cell_for_each_code() -> None:
    assert label_codes("行 step").tobytes().decode("utf-32-le") == "? step"


def test_shades_are_the_same_everywhere_and_all_are_used() -> None:
    assert shade_of("gemm") == shade_of("gemm")
    assert {shade_of(f"kernel_{number}") for number in range(50)} == set(range(SHADES))
