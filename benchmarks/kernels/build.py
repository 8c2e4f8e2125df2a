"""The native kernels as a program.

`cargo bench` would compile every dependency once more: the module is linked as a cdylib alone, from bitcode, while a
package that is an rlib and a cdylib at once needs object code of all of them. So the program has a manifest of its own,
made here of the module's: the same dependencies, features and profile, an rlib, and the program instead of the
benches. What the module was built from is then found in `native/target`, and only the crate itself is compiled again.
"""

import os
import shutil
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import tomli_w

ROOT = Path(__file__).parent.parent.parent
NATIVE = ROOT / "native"
PROGRAM = "kernels"


def program() -> Path:
    target = Path(os.environ.get("CARGO_TARGET_DIR", NATIVE / "target"))
    package = target / PROGRAM
    package.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(NATIVE / "Cargo.lock", package / "Cargo.lock")
    (package / "Cargo.toml").write_text(tomli_w.dumps(manifest(tomllib.loads((NATIVE / "Cargo.toml").read_text()))))
    command = ["cargo", "build", "--release", "--quiet", "--bin", PROGRAM, "--target-dir", str(target)]
    subprocess.run([*command, "--manifest-path", str(package / "Cargo.toml")], check=True)
    return target / "release" / PROGRAM


def manifest(module: dict[str, Any]) -> dict[str, Any]:
    """Without the test dependencies, which would ask for other features of those that are shared."""
    shared = {name: module[name] for name in ("package", "features", "dependencies", "profile", "lints")}
    library = module["lib"] | {"path": str(NATIVE / "src" / "lib.rs"), "crate-type": ["rlib"]}
    main = NATIVE / "benches" / PROGRAM / "main.rs"
    return shared | {"lib": library, "bin": [{"name": PROGRAM, "path": str(main)}], "workspace": {}}
