"""What file names say about rank and host, and what they only seem to say."""

from pathlib import PurePath

import pytest

from vpstop.read.identity import (
    host_in_folders,
    host_in_name,
    is_front_end,
    rank_in_name,
    series_of,
)

RANKS = [
    ("rank0.json", 0),
    ("rank3_trace.json.gz", 3),
    ("rank_7.trace.json.gz", 7),
    ("trace-rank-10.json", 10),
    ("run5-rank[3].json", 3),
    ("RANK-4.json", 4),
    ("rank-0.Apr_03_18_51_38.1102.pt.trace.json.gz", 0),
    ("mtia_inference_rank_0.json.gz", 0),
    ("mi300_rank2.json", 2),
    ("iteration_10/rank1_trace.json.gz", 1),
    ("dp0_pp0_tp1_dcp0_ep1_rank1.1773133201466789012.pt.trace.json.gz", 1),
    ("tp_rank_1_pp_rank_0_rank_5.json", 5),
    ("local_rank_0_global_rank_8.json", 8),
    ("node1_local_rank3.json", None),
    ("tp1_ep1.json", None),
    ("abc-TP-1-DP-0-PP-0.trace.json.gz", None),
    ("worker0.1624000001999.pt.trace.json.gz", 0),
    ("worker1_step_12.1694128201556.pt.trace.json.gz", 1),
    ("resnet50_num_workers_0.worker0.1623143089861.pt.trace.json.gz", 0),
    ("worker-7_20931.1677300000456.pt.trace.json", None),
    ("gpu-r12-n3_4101.1773133200163.pt.trace.json", None),
    ("run_r12.json", 12),
    ("trace_3.json", 3),
    ("profile-4.json.gz", 4),
    ("trace_4101.json", None),
    ("libkineto_activities_4101.json", None),
    ("step_12.json", None),
    ("nranks8.json", None),
    ("frank3.json", None),
    ("rank12345678901.json", None),
    ("rank3/trace.json", 3),
    ("rank3/rank5/trace.json", 5),
    ("rank3/step_2/trace.json", 3),
    ("r3/trace.json", None),
]


@pytest.mark.parametrize(("name", "expected"), RANKS)
def test_rank_in_name(name: str, expected: int | None) -> None:
    assert rank_in_name(PurePath(name), process="4101") == expected


HOSTS = [
    ("node-a_4101.1773133200163.pt.trace.json", "node-a"),
    ("node-a_4101.1773133200163456789.pt.trace.json.gz", "node-a"),
    ("node_a_4101.1773133200163.pt.trace.json", "node_a"),
    ("worker-7_20931.1677300000456.pt.trace.json", "worker-7"),
    ("gpu.example.org_4101.1773133200163.pt.trace.json", "gpu.example.org"),
    ("node-a_871.async_llm.1773133201476789012.pt.trace.json.gz", "node-a"),
    ("worker0_4101.1773133200163.pt.trace.json", "worker0"),
    ("worker0_step_12.1694128201545.pt.trace.json.gz", ""),
    ("dp0_rank0.1773133201456789012.pt.trace.json.gz", ""),
    ("dp0_rank0_4101.1773133201456789012.pt.trace.json.gz", ""),
    ("resnet50_num_workers_0.worker0.1623143089861.pt.trace.json.gz", ""),
    ("worker0.1623143089861.pt.trace.json.gz", ""),
    ("libkineto_activities_4101.json", ""),
    ("node-a_4101.json", ""),
]


@pytest.mark.parametrize(("name", "expected"), HOSTS)
def test_host_in_name(name: str, expected: str) -> None:
    assert host_in_name(PurePath(name), process="4101") == expected


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("rank0.json", ""),
        ("fra1/rank0.json", "fra1"),
        ("fra1/traces/rank0.json", "fra1"),
        ("run/fra1/iteration_10/rank0.json", "fra1"),
        ("iteration_10/rank0.json", ""),
        ("rank0/trace.json", ""),
        ("plugins/profile/trace.json", ""),
        ("2026-03-10_09-00/trace.json", ""),
        ("profiler_output/trace.json", ""),
        ("node-b_traces/trace.json", "node-b_traces"),
    ],
)
def test_host_in_folders(path: str, expected: str) -> None:
    assert host_in_folders(PurePath(path)) == expected


def test_front_ends_are_known_by_name() -> None:
    assert is_front_end(PurePath("node-a_871.async_llm.1773133201476789012.pt.trace.json.gz"))
    assert is_front_end(PurePath("api-server.json"))
    assert not is_front_end(PurePath("async_llm/rank0.json"))


def test_a_series_is_the_name_without_its_moment() -> None:
    first = PurePath("node-a_4101.1773133200163.pt.trace.json")
    second = PurePath("node-a_4101.1773133260163.pt.trace.json")
    assert series_of(first) == series_of(second)
    assert series_of(first) != series_of(PurePath("node-a_4102.1773133200163.pt.trace.json"))
