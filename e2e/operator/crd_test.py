#!/usr/bin/env python3
"""Checks which objects the API server accepts, refuses and defaults, for every case of agents_table.json.

    e2e/operator/crd_test.py --kubeconfig FILE [--kubectl PATH] [--keep]

Applies crds/ and uses its own namespace; deletes the namespace at the end, and the CRDs unless they
existed before. Needs only kubectl and Python.
The last line is "N passed, M failed".
"""
import argparse
import concurrent.futures
import copy
import json
import pathlib
import re
import subprocess
import sys
import time
import uuid

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[1] / "support")]

import crds  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
TABLE = json.loads((ROOT / "e2e/operator/agents_table.json").read_text())
KINDS = ["agent", "agenttool", "agentrun", "memoryserver"]


class Cluster:
    """kubectl with one kubeconfig and one namespace."""

    def __init__(self, kubectl, kubeconfig, namespace):
        self.command = [kubectl, f"--kubeconfig={kubeconfig}"]
        self.namespace = namespace

    def run(self, *arguments, given=None):
        """→ (exit code, stdout, stderr); stdin is `given` as JSON."""
        done = subprocess.run([*self.command, *arguments], capture_output=True, text=True,
                              input=json.dumps(given) if given is not None else None, timeout=180)
        return done.returncode, done.stdout, done.stderr

    def apply(self, thing, *arguments):
        return self.run("apply", "-n", self.namespace, "-o", "json", "-f", "-", *arguments, given=thing)

    def must(self, *arguments):
        code, out, error = self.run(*arguments)
        if code:
            sys.exit(f"kubectl {' '.join(arguments)}: {error.strip()}")
        return out


def steps(pointer):
    return [int(s) if s.isdigit() else s.replace("~1", "/").replace("~0", "~")
            for s in pointer.split("/")[1:]]


def value_at(thing, pointer):
    for step in steps(pointer):
        thing = thing[step]
    return thing


def changed(thing, case):
    """A copy of `thing` with the case's `set` and `unset` applied."""
    thing = copy.deepcopy(thing)
    for pointer in case.get("unset", []):
        *path, last = steps(pointer)
        inner = thing
        for step in path:
            inner = inner[step]
        del inner[last]
    for pointer, value in case.get("set", {}).items():
        *path, last = steps(pointer)
        inner = thing
        for step in path:
            inner = inner.setdefault(step, {})
        inner[last] = value
    return thing


def base(case, name=None):
    thing = copy.deepcopy(TABLE["bases"][case.get("base", "agent")])
    thing["metadata"]["name"] = name or thing["metadata"]["name"]
    return thing


def refused(answer, field):
    """Why `answer` is not a refusal that names `field`, or None."""
    code, out, error = answer
    if code == 0:
        return "was taken"
    named = re.search(r'(?<![\w\]])' + re.escape(field) + r'(:|"|\[)', error)
    return None if named else f"the answer does not name {field}: {error.strip()[-400:]}"


def taken(answer, expect):
    """Why `answer` is not an object in which `expect` holds, or None."""
    code, out, error = answer
    if code:
        return f"was refused: {error.strip()[-400:]}"
    for pointer, value in expect.items():
        try:
            found = value_at(json.loads(out), pointer)
        except (KeyError, IndexError):
            found = "nothing"
        if found != value:
            return f"{pointer} is {json.dumps(found)}, not {json.dumps(value)}"
    return None


def good(cluster, case):
    thing, expect = changed(base(case), case), case.get("expect", {})
    return (taken(cluster.apply(thing, "--dry-run=server"), expect)
            or taken(cluster.apply(thing, "--dry-run=server", "--server-side"), expect))


def bad(cluster, case):
    thing = changed(base(case), case)
    wrong = refused(cluster.apply(thing, "--dry-run=server"), case["field"])
    if wrong:
        return wrong
    # Server-side apply, as GitOps tools do it, must refuse it, too.
    code, _, _ = cluster.apply(thing, "--dry-run=server", "--server-side")
    return None if code else "server-side apply took it"


def edit(cluster, case):
    """Changes an existing object; each case creates its own."""
    name = "edit-" + uuid.uuid4().hex[:8]
    before = changed(base(case, name), {"set": case["before"]})
    code, _, error = cluster.apply(before)
    if code:
        return f"cannot make the object: {error.strip()}"
    answer = cluster.apply(changed(before, case), "--dry-run=server")
    return refused(answer, case["field"]) if "field" in case else taken(answer, case.get("expect", {}))


def undescribed(schema, path):
    """Paths of fields without a description for `kubectl explain`."""
    found = []
    for name, field in schema.get("properties", {}).items():
        here = f"{path}.{name}"
        if "description" not in field and here not in (".metadata", ".metadata.name"):
            found.append(here)
        found += undescribed(field, here)
    for inner in ("items", "additionalProperties"):
        if isinstance(schema.get(inner), dict):
            found += undescribed(schema[inner], path)
    return found


def open_objects(schema, path):
    """Paths that keep unknown fields."""
    found = [path] if schema.get("x-kubernetes-preserve-unknown-fields") else []
    for name, field in schema.get("properties", {}).items():
        found += open_objects(field, f"{path}.{name}")
    for inner in ("items", "additionalProperties"):
        if isinstance(schema.get(inner), dict):
            found += open_objects(schema[inner], path + "[]")
    return found


def list_defaults(schema, path, inside=False):
    """Paths of defaults inside lists: GitOps tools compare a list as a whole, and would see a difference for ever."""
    found = [path] if inside and "default" in schema else []
    for name, field in schema.get("properties", {}).items():
        found += list_defaults(field, f"{path}.{name}", inside)
    for inner in ("items", "additionalProperties"):
        if isinstance(schema.get(inner), dict):
            found += list_defaults(schema[inner], path + "[]", inside or inner == "items")
    return found


def schemas(cluster):
    """Yields (name of the check, its fault or None) for the CRDs on the API server."""
    for kind in KINDS:
        crd = json.loads(cluster.must("get", "crd", f"{kind}s.agents.agentops.io", "-o", "json"))
        schema = crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
        missing = undescribed(schema, "")
        yield f"{kind}: every field is explained", f"not {missing}" if missing else None
        wide = [p for p in open_objects(schema, "") if p.count(".") != 2 or p == ".spec"]
        yield f"{kind}: open objects are fields of spec, never spec itself", str(wide) if wide else None
        late = list_defaults(schema["properties"]["spec"], ".spec")
        yield f"{kind}: no default inside a list", str(late) if late else None
        problems = [c for c in crd["status"]["conditions"]
                    if c["type"] == "NonStructuralSchema" and c["status"] == "True"]
        yield f"{kind}: the schema is structural", problems[0]["message"] if problems else None


def samples(cluster):
    for file in sorted((ROOT / "config/samples").glob("*.yaml")):
        text = file.read_text().replace("namespace: agents", f"namespace: {cluster.namespace}")
        done = subprocess.run([*cluster.command, "apply", "--dry-run=server", "-f", "-"],
                              capture_output=True, text=True, input=text, timeout=180)
        yield f"sample {file.name} is taken", done.stderr.strip() if done.returncode else None


def ratcheting(cluster):
    """A rule that is tightened later does not refuse edits of other fields in an object that violates it.
    Uses a copy of the CRD under another group, so that the real one is never loosened."""
    tight = (ROOT / "crds/agent.yaml").read_text().replace("agents.agentops.io", "ratchet.agentops.io")
    loose = tight.replace("maximum: 50, default: 5", "maximum: 500, default: 5")
    crd = "crd/agents.ratchet.agentops.io"
    old = changed(base({}), {"set": {"/apiVersion": "ratchet.agentops.io/v1alpha1", "/spec/memory/contextLimit": 300}})
    apply = [*cluster.command, "apply", "-f", "-"]
    try:
        subprocess.run(apply, input=loose, text=True, check=True, capture_output=True)
        for attempt in range(50):  # until the group is served
            code, _, error = cluster.apply(old)
            if code == 0:
                break
            time.sleep(0.2)
        if code:
            return f"the loose CRD refuses it: {error.strip()}"
        subprocess.run(apply, input=tight, text=True, check=True, capture_output=True)
        for attempt in range(50):  # until the tight schema is in force
            fresh = changed(old, {"set": {"/metadata/name": "fresh"}})
            if cluster.apply(fresh, "--dry-run=server")[0]:
                break
            time.sleep(0.2)
        else:
            return "the tight CRD takes a new object of 300"
        elsewhere = changed(old, {"set": {"/spec/image": "x/y:2"}})
        worse = changed(old, {"set": {"/spec/memory/contextLimit": 301}})
        return (taken(cluster.apply(elsewhere), {"/spec/image": "x/y:2", "/spec/memory/contextLimit": 300})
                or refused(cluster.apply(worse), "spec.memory.contextLimit"))
    finally:
        cluster.run("delete", crd, "--wait=false")


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--kubeconfig", required=True)
    options.add_argument("--kubectl", default="kubectl")
    options.add_argument("--keep", action="store_true", help="leave everything behind")
    asked = options.parse_args()
    cluster = Cluster(asked.kubectl, asked.kubeconfig, "crd-test-" + uuid.uuid4().hex[:6])
    new = crds.install(cluster.command)
    cluster.must("create", "namespace", cluster.namespace)
    try:
        results = [*schemas(cluster), *samples(cluster)]
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            for word, check in (("taken", good), ("refused", bad), ("edit", edit)):
                cases = TABLE[{"taken": "good", "refused": "bad", "edit": "edits"}[word]]
                found = pool.map(lambda case, check=check: check(cluster, case), cases)
                results += [(f"{word}: {case['case']}", wrong) for case, wrong in zip(cases, found)]
        results.append(("an old bad object can be edited elsewhere", ratcheting(cluster)))
    finally:
        if not asked.keep:
            cluster.run("delete", "agents,agentruns", "--all", "-n", cluster.namespace)
            cluster.run("delete", "namespace", cluster.namespace, "--wait=false")
            if new:
                crds.remove(cluster.command)
    failed = [(name, wrong) for name, wrong in results if wrong]
    for name, wrong in failed:
        print(f"FAILED {name}: {wrong}")
    print(f"{len(results) - len(failed)} passed, {len(failed)} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
