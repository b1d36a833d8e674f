"""Short names of kernels."""

import pytest

from vpstop.measure.names import short_kernel_name

ADD = (
    "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, "
    "at::detail::Array<char*, 3> >(int, at::native::CUDAFunctor_add<float>, "
    "at::detail::Array<char*, 3>)"
)
SQRT = (
    "void at::native::vectorized_elementwise_kernel<4, at::native::sqrt_kernel_cuda"
    "(at::TensorIteratorBase&)::{lambda()#2}::operator()() const::{lambda()#2}::operator()() "
    "const::{lambda(float)#1}, at::detail::Array<char*, 2> >(int, at::detail::Array<char*, 2>)"
)
NORM = (
    "std::enable_if<(((8)>(0)))&&vllm::_typeConvert<c10::BFloat16>::exists, void>::type "
    "vllm::fused_add_rms_norm_kernel<c10::BFloat16, 8>(c10::BFloat16*, long)"
)


@pytest.mark.parametrize(
    ("name", "short"),
    [
        (ADD, "vectorized_elementwise_kernel<4, CUDAFunctor_add<float>>"),
        (SQRT, "vectorized_elementwise_kernel<4, sqrt_kernel_cuda>"),
        (NORM, "fused_add_rms_norm_kernel<BFloat16, 8>"),
        ("void (anonymous namespace)::softmax_warp<float, 8>(float*)", "softmax_warp<float, 8>"),
        ("ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)", "ncclDevKernel_SendRecv"),
        ("Memcpy HtoD (Pageable -> Device)", "Memcpy HtoD (Pageable -> Device)"),
        ("triton_poi_fused_add_3", "triton_poi_fused_add_3"),
        ("operator()", "operator"),
        ("", ""),
    ],
)
def test_what_tells_a_kernel_from_others_is_left(name: str, short: str) -> None:
    assert short_kernel_name(name) == short


def test_long_names_keep_head_and_tail() -> None:
    name = "Cijk_Alik_Bljk_" + 40 * "SB_Bias_" + "WG64_4_1"
    short = short_kernel_name(name, 40)
    assert len(short) == 40
    assert short.startswith("Cijk_Alik_Bljk_")
    assert short.endswith("WG64_4_1")
