"""The one place that knows OpenVINO: a compiled network as a function of arrays."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import openvino

from vision.errors import UserError

Array = npt.NDArray[np.float32]


class Network:
    """A compiled model. Call it with an input batch, or one for each input, get its outputs in order."""

    def __init__(
        self, model: Path, inputs: int = 1, outputs: Sequence[int | None] = (), threads: int = 0
    ) -> None:
        """Compile `model` (an OpenVINO .xml or an .onnx file); 0 threads leaves the choice to OpenVINO.

        `inputs` is how many batches it is to take; its outputs are to be (n, `outputs`[i], ...), of any
        width for None, and whatever it is where none are named.

        Raises:
            UserError: the file is not a model OpenVINO can read, or is another kind of model: a folder may
                hold the weights of another version of this program, whole by their hash.
        """
        core = openvino.Core()
        # Bound to their cores, as is usual, the threads wait for whatever else runs there: beside other work
        # eight cards took a tenth longer to read. What comes out is the same to the bit.
        config: dict[str, object] = {"PERFORMANCE_HINT": "LATENCY", "ENABLE_CPU_PINNING": False}
        if threads:
            config["INFERENCE_NUM_THREADS"] = threads
        try:
            self._compiled = core.compile_model(core.read_model(str(model)), "CPU", config)
        except RuntimeError as error:
            raise UserError(
                f"{model} is not a model OpenVINO can read: reinstall the weights"
            ) from error
        if outputs and not _fits(self._compiled, inputs, outputs):
            raise UserError(
                f"{model} is a model of another kind or version: reinstall the weights, or train and export"
                " it anew"
            )
        self._request = self._compiled.create_infer_request()

    def __call__(self, *batches: npt.NDArray[np.uint8] | Array) -> list[Array]:
        """Run (n, h, w, 3) uint8 BGR or whatever the model's inputs are; outputs as float32 arrays."""
        results = self._request.infer(list(batches), share_inputs=True)
        return [np.array(value, dtype=np.float32) for value in results.values()]


def _fits(compiled: openvino.CompiledModel, inputs: int, outputs: Sequence[int | None]) -> bool:
    """Whether a model takes so many batches and gives outputs so wide."""
    shapes = [port.partial_shape for port in compiled.outputs]
    return (
        len(compiled.inputs) == inputs
        and len(shapes) == len(outputs)
        and all(
            len(shape) >= 2 and (width is None or shape[1] == width)
            for shape, width in zip(shapes, outputs, strict=True)
        )
    )
