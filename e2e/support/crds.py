"""The CRDs of crds/ on an API server that one test uses after another: applied until all are served, deleted until all
are gone. A CRD that is still on its way out takes an apply, and goes nevertheless."""
import json
import os
import subprocess

import wire

CRDS = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "crds")
PATIENCE_S = 120


def _asked(kubectl, *arguments):
    return subprocess.run([*kubectl, *arguments, "-k", CRDS], capture_output=True, text=True, timeout=PATIENCE_S, check=False)


def there(kubectl):
    """→ those that are there, on their way out or not, by name."""
    done = _asked(kubectl, "get", "--ignore-not-found", "-o", "json")
    if done.returncode:
        raise RuntimeError(f"kubectl get -k crds: {done.stderr.strip()[-300:]}")
    found = json.loads(done.stdout or '{"items": []}')
    return {one["metadata"]["name"]: one for one in found.get("items", [found])}


def _leaving(kubectl):
    return [name for name, one in there(kubectl).items() if one["metadata"].get("deletionTimestamp")]


def _unserved(kubectl):
    """Asked one by one: kubectl's own `wait` fails while a CRD has no conditions yet."""
    paths = {name: "/apis/{}/v1alpha1/{}".format(*reversed(name.split(".", 1))) for name in there(kubectl)}
    return [name for name, path in paths.items()
            if subprocess.run([*kubectl, "get", "--raw", path], capture_output=True, timeout=PATIENCE_S, check=False).returncode]


def install(kubectl):
    """→ whether there were none before. `kubectl`: the command and its options."""
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
    """Until all are gone: a busy API server may refuse to delete one."""
    if not wire.until(lambda: _asked(kubectl, "delete", "--ignore-not-found").returncode == 0, PATIENCE_S, 0.5):
        print(f"  CRDs are left: {sorted(there(kubectl))}")
