#!/usr/bin/env python3
"""Checks the contents that scripts/pack-rootfs makes for the three images: only files that its SBOM lists, no shell, no way
to another user, and a program that runs as nobody on a read-only file system. Builds no image; the programs are
those of build/release/bin or $AGENT_MEMORY_BIN.

    e2e/packaging/image_contents_test.py

The last line is "N passed, M failed"; sizes are above it.
"""
import hashlib
import json
import os
import pathlib
import re
import stat
import subprocess
import sys
import tempfile

sys.path[:0] = [os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support")]

from programs import binary, bin_folder  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAMS = {"agent-memory-operator": "operator", "agent-memory-sidecar": "sidecar", "agent-memory-server": "memory"}
MOST_MB, MOST_WITH_TRACES_MB = 25, 43  # of a release, without the tables of share/; the module needs large libraries of others
MODULE = "lib/agent-memory-otlp.so"


class Packed:
    def __init__(self, name, folder):
        self.name, self.root = name, pathlib.Path(folder, name)
        module = pathlib.Path(bin_folder()).parent / MODULE
        self.modules = [str(module)] if module.exists() and name != "agent-memory-operator" else []
        done = subprocess.run([str(ROOT / "scripts/pack-rootfs"), binary(name), str(self.root), *self.modules],
                              capture_output=True, text=True, timeout=300, check=False)
        if done.returncode:
            raise SystemExit(f"pack-rootfs {name}: {done.stderr.strip()}")
        self.said = done.stdout.strip()
        self.list = json.loads((self.root / f"usr/share/sbom/{name}.spdx.json").read_text(encoding="utf-8"))
        self.packages = {p["SPDXID"]: p for p in self.list["packages"]}
        self.files = {f["SPDXID"]: f for f in self.list["files"]}

    def paths(self):
        return [p for p in self.root.rglob("*") if p.is_file() and not p.is_symlink()]

    def holders(self, file_id):
        """The packages of a file, according to the SBOM."""
        return [self.packages[r["relatedSpdxElement"]] for r in self.list["relationships"]
                if r["relationshipType"] == "GENERATED_FROM" and r["spdxElementId"] == file_id]

    def debian(self):
        """Packages whose files are in the image."""
        ours = self.list["relationships"][0]["relatedSpdxElement"]
        return [self.packages[r["relatedSpdxElement"]] for r in self.list["relationships"]
                if r["relationshipType"] == "CONTAINS" and r["spdxElementId"] == ours and r["relatedSpdxElement"] in self.packages]


def every_program_and_library_is_on_the_list(packed):
    listed = {f["fileName"]: f for f in packed.files.values()}
    code = [p for p in packed.paths() if p.read_bytes()[:4] == b"\x7fELF"]
    assert len(code) > 5
    for path in code:
        name = f"./{path.relative_to(packed.root)}"
        assert name in listed, f"{name} is not on the list"
        said = next(c["checksumValue"] for c in listed[name]["checksums"] if c["algorithm"] == "SHA256")
        assert said == hashlib.sha256(path.read_bytes()).hexdigest(), f"{name} is another file"
        holders = packed.holders(listed[name]["SPDXID"])
        assert len(holders) == 1, f"{name} belongs to {holders}"
        ours = path.name.startswith("agent-memory-")
        assert (holders[0]["name"] == packed.name) == ours, f"{name} is {holders[0]['name']}'s"
    shared = {f"./usr/share/{packed.name}/{p.name}" for p in (ROOT / "share" / packed.name).glob("*")}
    assert set(listed) - {f"./{p.relative_to(packed.root)}" for p in code} == {"./etc/ssl/certs/ca-certificates.crt", *shared}
    assert all((packed.root / name).exists() for name in shared)


def packages_are_those_that_are_installed(packed):
    assert {"libc6", "libstdc++6", "libssl3", "ca-certificates"} <= {p["name"] for p in packed.debian()}
    for package in packed.debian():
        shown = subprocess.run(["dpkg-query", "-W", "-f", "${Version}\n", package["name"]], capture_output=True, text=True, check=True).stdout
        assert package["versionInfo"] in shown.split(), package["name"]
        assert re.fullmatch(r"pkg:deb/\w+/\S+@\S+\?arch=\w+&distro=\w+-\d+", package["externalRefs"][0]["referenceLocator"]), package["externalRefs"]
        assert (packed.root / package["licenseComments"].lstrip("/")).stat().st_size > 0, f"no licence of {package['name']}"


def scanners_find_the_packages_without_dpkg(packed):
    stanzas = list((packed.root / "var/lib/dpkg/status.d").iterdir())
    assert sorted(s.name for s in stanzas) == sorted(p["name"] for p in packed.debian())
    for stanza in stanzas:
        fields = dict(re.findall(r"^(\w+): (.+)$", stanza.read_text(encoding="utf-8"), re.M))
        assert fields["Package"] == stanza.name and fields["Version"] and fields["Status"] == "install ok installed", fields
    assert "ID=debian" in (packed.root / "etc/os-release").read_text(encoding="utf-8")


def tables_of_others_come_with_their_licence(packed):
    tables = [p for p in packed.list["packages"] if p["licenseDeclared"] == "MIT"]
    assert [t["name"] for t in tables] == (["gitleaks"] if packed.name in ("agent-memory-server", "agent-memory-sidecar") else [])
    table_sources = [p for p in packed.list["packages"] if p["SPDXID"].startswith("SPDXRef-Source-")]
    assert bool(table_sources) == (packed.name == "agent-memory-server")
    for source in table_sources:
        assert (packed.root / source["licenseComments"].split("; ")[-1].lstrip("/")).stat().st_size > 0
    for table in tables:
        made = (ROOT / "lib/redaction/published_formats.cc").read_text(encoding="utf-8")
        assert f"gitleaks {table['versionInfo']}:" in made, table["versionInfo"]
        licence = (packed.root / table["licenseComments"].lstrip("/")).read_text(encoding="utf-8")
        assert "Permission is hereby granted" in licence and licence.split("\n")[2] in made, "the licence is that of the table"


def the_document_is_whole(packed):
    assert packed.list["spdxVersion"] == "SPDX-2.3" and packed.list["dataLicense"] == "CC0-1.0"
    known = {"SPDXRef-DOCUMENT", *packed.packages, *packed.files}
    assert len(known) == 1 + len(packed.list["packages"]) + len(packed.list["files"]), "an id is there twice"
    for relation in packed.list["relationships"]:
        assert {relation["spdxElementId"], relation["relatedSpdxElement"]} <= known, relation
    version = subprocess.run([binary(packed.name), "--version"], capture_output=True, text=True, check=True).stdout
    assert packed.packages[packed.list["relationships"][0]["relatedSpdxElement"]]["versionInfo"] in version, version


def there_is_no_shell_and_no_other_user(packed):
    for path in packed.paths():
        mode = path.stat().st_mode
        assert not mode & (stat.S_ISUID | stat.S_ISGID | stat.S_IWOTH), f"{path.name}: {oct(mode)}"
    programs = [p.name for p in packed.paths() if p.parent.name == "bin"]
    assert programs == [packed.name], programs
    dockerfile = (ROOT / f"Dockerfile.{PROGRAMS[packed.name]}").read_text(encoding="utf-8")
    assert re.search(r"^FROM scratch\n(.*\n)*USER 65532:65532\n", dockerfile, re.M), "the last stage is from scratch, as nobody"


def it_runs_as_nobody_with_nothing_to_write_to(packed):
    if os.getuid() != 0:
        print("  it_runs_as_nobody_with_nothing_to_write_to: not without root")
        return
    script = 'mount --bind "$1" "$1" && mount -o remount,ro,bind "$1" && shift && exec "$@"'
    done = subprocess.run(["unshare", "-m", "sh", "-c", script, "it", str(packed.root), "chroot", "--userspec=65532:65532", str(packed.root),
                           f"/usr/bin/{packed.name}", "--check-config"], capture_output=True, text=True, timeout=60, check=False, env={})
    assert done.returncode == 0, f"{done.returncode}: {done.stderr.strip()[-200:]}"


def it_is_small(packed):
    tables = sum(p.stat().st_size for p in (packed.root / f"usr/share/{packed.name}").glob("*")) / 1e6
    megabytes = sum(p.stat().st_size for p in packed.paths()) / 1e6 - tables
    print(f"  {packed.name}: {megabytes:.1f} MB, {tables:.1f} MB of tables, {len(packed.debian())} packages"
          + ("" if packed.modules else ", no module for traces"))
    if "release" in pathlib.Path(bin_folder()).parts:
        limit = MOST_WITH_TRACES_MB if packed.modules else MOST_MB
        assert megabytes <= limit, f"{megabytes:.1f} MB, the limit is {limit}"


TESTS = (every_program_and_library_is_on_the_list, packages_are_those_that_are_installed, scanners_find_the_packages_without_dpkg,
         tables_of_others_come_with_their_licence, the_document_is_whole, there_is_no_shell_and_no_other_user, it_runs_as_nobody_with_nothing_to_write_to, it_is_small)


def main():
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)  # the user nobody must be able to read it
        for packed in [Packed(name, folder) for name in PROGRAMS]:
            for test in TESTS:
                try:
                    test(packed)
                except (AssertionError, KeyError, OSError, subprocess.SubprocessError) as wrong:
                    failed += 1
                    print(f"FAILED {test.__name__} {packed.name}: {wrong}")
    print(f"{len(TESTS) * len(PROGRAMS) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
