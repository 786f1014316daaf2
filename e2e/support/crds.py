"""Installs and removes the CRDs of crds/ on an API server that tests use one after the other. Waits until terminating CRDs
are gone before it installs them: a terminating CRD accepts an apply, and is deleted nevertheless."""
import json
import os
import subprocess

import wire

CRDS = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "crds")
PATIENCE_S = 300


def _asked(kubectl, *arguments):
    return subprocess.run([*kubectl, *arguments, "-k", CRDS], capture_output=True, text=True, timeout=PATIENCE_S, check=False)


def there(kubectl):
    """→ the existing CRDs by name, terminating ones included."""
    done = _asked(kubectl, "get", "--ignore-not-found", "-o", "json")
    if done.returncode:
        raise RuntimeError(f"kubectl get -k crds: {done.stderr.strip()[-300:]}")
    found = json.loads(done.stdout or '{"items": []}')
    return {one["metadata"]["name"]: one for one in found.get("items", [found])}


def _leaving(kubectl):
    return [name for name, one in there(kubectl).items() if one["metadata"].get("deletionTimestamp")]


def _unserved(kubectl):
    """Asks for each kind, since `kubectl wait` fails while a CRD has no conditions yet."""
    paths = {name: "/apis/{}/v1alpha1/{}".format(*reversed(name.split(".", 1))) for name in there(kubectl)}
    return [name for name, path in paths.items()
            if subprocess.run([*kubectl, "get", "--raw", path], capture_output=True, timeout=PATIENCE_S, check=False).returncode]


def install(kubectl):
    """→ true if no CRD existed before. `kubectl`: the command and its options."""
    if not wire.until(lambda: not _leaving(kubectl), PATIENCE_S, 0.2):
        raise RuntimeError(f"CRDs do not go: {_leaving(kubectl)}")
    new = not there(kubectl)
    done = _asked(kubectl, "apply", "--server-side", "--force-conflicts")
    if done.returncode:
        raise RuntimeError(f"kubectl apply -k crds: {done.stderr.strip()[-300:]}")
    if not wire.until(lambda: not _unserved(kubectl), PATIENCE_S, 0.2):
        raise RuntimeError(f"not served {PATIENCE_S} s after they were applied: {_unserved(kubectl)}")
    return new


def remove(kubectl):
    """Repeats the delete until it succeeds, since a busy API server may refuse it."""
    if not wire.until(lambda: _asked(kubectl, "delete", "--ignore-not-found").returncode == 0, PATIENCE_S, 0.5):
        print(f"  CRDs are left: {sorted(there(kubectl))}")
