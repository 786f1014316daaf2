#!/usr/bin/env python3
"""The tiers behind scripts/test: builds what a tier needs, runs its programs, counts what they say. Knows
no single test: those are found by CTest and GoogleTest, or are scripts of e2e/."""
import glob
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as xml

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
JOBS = str(os.cpu_count() or 2)
LAST_LINE = re.compile(r"(\d+) passed, (\d+) failed(?:, (\d+) skipped)?\s*$")
# What runs again with ThreadSanitizer: the folders with threads of their own.
RACE_TESTS = ("lib_base", "lib_http", "lib_sqlite", "lib_kube", "memory", "sidecar", "operator")


class Skip(Exception):
    """This machine cannot run it; the text says why."""


class Counts:
    def __init__(self):
        self.passed, self.failed, self.skipped = 0, 0, []

    def add(self, what, passed, failed, skipped=()):
        self.passed, self.failed = self.passed + passed, self.failed + failed
        self.skipped += list(skipped)
        print(f"  {what}: {passed} passed, {failed} failed" + (f", {len(skipped)} skipped" if skipped else ""), flush=True)

    def skip(self, what, why):
        self.skipped.append(f"{what}: {why}")
        print(f"  {what}: skipped: {why}", flush=True)


def run(argv, timeout_s, environment=None, echo=True):
    """Runs a command in a group of its own, ended whole at the time limit → (exit code, its output)."""
    lines, started = [], time.monotonic()
    process = subprocess.Popen(argv, cwd=ROOT, env={**os.environ, **(environment or {})}, stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
    signal.signal(signal.SIGALRM, lambda *_: os.killpg(process.pid, signal.SIGKILL))
    signal.alarm(timeout_s)
    try:
        for raw in process.stdout:
            lines.append(raw.decode(errors="replace"))
            if echo:
                print("    " + lines[-1], end="", flush=True)
        code = process.wait()
    except BaseException:
        os.killpg(process.pid, signal.SIGTERM)
        raise
    finally:
        signal.alarm(0)
    if time.monotonic() - started >= timeout_s:
        lines.append(f"ended after {timeout_s} s, the time limit\n")
        print("    " + lines[-1], end="")
    return code, "".join(lines)


def must(what, argv, timeout_s):
    """A build step: quiet unless it fails → True when it worked."""
    print(f"  {what} …", flush=True)
    code, out = run(argv, timeout_s, echo=False)
    if code:
        print("".join("    " + line for line in out.splitlines(True)[-40:]), flush=True)
    return code == 0


def build(counts, preset, targets=()):
    folder = os.path.join(ROOT, "build", preset)
    configured = os.path.exists(os.path.join(folder, "build.ninja")) or must(
        f"configure {preset}", ["cmake", "--preset", preset], 300)
    argv = ["cmake", "--build", "--preset", preset, "-j", JOBS] + (["--target", *targets] if targets else [])
    if configured and must(f"build {preset}", argv, 3600):
        return True
    counts.add(f"build {preset}", 0, 1)
    return False


def ctest(counts, preset, only=None):
    """Runs CTest and counts single tests: GoogleTest's own report where there is one."""
    folder = os.path.join(ROOT, "build", preset)
    reports, junit = os.path.join(folder, "reports/"), os.path.join(folder, "ctest.xml")
    shutil.rmtree(reports, ignore_errors=True)
    argv = ["ctest", "--test-dir", folder, "-j", JOBS, "--output-on-failure", "--output-junit", junit]
    # What is named ApiServer, suite or parameter, needs one: they are the api tier's.
    environment = {"GTEST_OUTPUT": "json:" + reports, "GTEST_FILTER": "-*ApiServer*"}
    run(argv + (["-R", f"^({'|'.join(only)})$"] if only else []), 1800, environment)
    cases = xml.parse(junit).getroot().iter("testcase") if os.path.exists(junit) else []
    ran = False
    for case in cases:
        ran = True
        counts.add(f"{preset}/{case.get('name')}", *gtest_counts(reports, case.get("name"), case.get("status") == "run"))
    if not ran:
        counts.add(f"{preset}: ctest ran nothing", 0, 1)


def gtest_counts(reports, name, good):
    """→ (passed, failed, skipped) of a test program; a crash leaves no report and is one failure."""
    path = os.path.join(reports, f"{name}_test.json")
    if not os.path.exists(path):
        return (1, 0, []) if good else (0, 1, [])
    with open(path, encoding="utf-8") as file:
        report = json.load(file)
    tests = [(s["name"], t) for s in report["testsuites"] for t in s["testsuite"]]
    skipped = [f"{suite}.{t['name']}: by itself" for suite, t in tests if t.get("result") == "SKIPPED"]
    failed = sum(bool(t.get("failures")) for _, t in tests)
    ran = sum(t.get("result") == "COMPLETED" for _, t in tests)
    return ran - failed, max(failed, 0 if good else 1), skipped


def script(counts, name, argv, timeout_s, environment=None):
    """A test program that ends with 'N passed, M failed'."""
    print(f"  {name}", flush=True)
    code, out = run(argv, timeout_s, environment)
    match = LAST_LINE.search(out.rstrip().split("\n")[-1])
    passed, failed = (int(match[1]), int(match[2])) if match else (0, 0)
    skipped = [f"{name}: {match[3]} of its own"] if match and int(match[3] or 0) else []
    counts.add(name, passed, failed if failed or code == 0 and match else 1, skipped)


def unit(counts):
    script_tidy = run(["python3", "scripts/tidy.py", "--self-test"], 60)[0]
    counts.add("tidy self-test", int(script_tidy == 0), int(script_tidy != 0))
    script(counts, "strace log", ["python3", "e2e/crash/strace_log_test.py"], 60)
    if build(counts, "test"):
        ctest(counts, "test")


def program(counts):
    if build(counts, "race", [t + "_test" for t in RACE_TESTS]):
        ctest(counts, "race", RACE_TESTS)
    if build(counts, "release"):
        script(counts, "contents of images", ["python3", "e2e/image_contents_test.py"], 300)
        script(counts, "MCP clients", ["python3", "e2e/mcp_test.py"], 1800)
        script(counts, "agents of docs/agents", ["python3", "e2e/agents_test.py"], 900)
        script(counts, "Claude Code", ["python3", "e2e/claude_code_test.py"], 900)
        script(counts, "memory on one machine", ["python3", "e2e/laptop_test.py"], 600)
        script(counts, "agents of one machine", ["python3", "e2e/laptop_agents_test.py"], 900)
        script(counts, "what models see", ["python3", "e2e/model_sees_test.py"], 900)
        script(counts, "hostile requests", ["python3", "e2e/hostile_requests.py"], 300)
        script(counts, "pod boundary", ["python3", "e2e/pod_boundary.py"], 120)
        script(counts, "reference client", ["python3", "e2e/reference_client.py"], 120)
        script(counts, "AgentOps clients", ["python3", "e2e/agentops_clients.py"], 120)
        script(counts, "examples of the API page", ["python3", "e2e/api_examples.py"], 120)
        script(counts, "kill loops", ["python3", "e2e/crash/kill_loops.py"], 600)
        script(counts, "sync errors", ["python3", "e2e/crash/sync_errors.py"], 600)
        script(counts, "full disk", ["python3", "e2e/crash/full_disk.py"], 600)
        script(counts, "wrong start", ["python3", "e2e/crash/wrong_start.py"], 300)
        script(counts, "damaged state", ["python3", "e2e/crash/damaged_state.py"], 300)
        script(counts, "stop in flight", ["python3", "e2e/crash/stop_in_flight.py"], 600)
        script(counts, "server away", ["python3", "e2e/crash/server_away.py"], 1800)
        script(counts, "power loss", ["python3", "e2e/crash/power_loss.py"], 900)
        script(counts, "traces", ["python3", "e2e/traces_test.py"], 300)
        script(counts, "story, embedded", ["python3", "e2e/story/tell.py", "embedded"], 300)


def need_cluster_tools(root):
    if sys.platform != "linux":
        raise Skip("needs Linux")
    if root and os.getuid() != 0:
        raise Skip("needs root: the node runs containers")
    code, out = run(["scripts/deps", "cluster"], 1800, echo=False)
    if code:
        raise Skip((out.strip().split("\n") or ["scripts/deps cluster failed"])[-1])


def up(counts, *arguments):
    """→ the kubeconfig's path, or None when the cluster does not come up."""
    print(f"  e2e/cluster/up {' '.join(arguments)} (15 minutes the first time)", flush=True)
    done = subprocess.run(["e2e/cluster/up", *arguments], cwd=ROOT, stdout=subprocess.PIPE, text=True,
                          stdin=subprocess.DEVNULL, check=False)
    if done.returncode:
        counts.add("e2e/cluster/up", 0, 1)
        return None
    return done.stdout.strip().split("\n")[-1]


def tools_path():
    """PATH with the cluster's own kubectl and helm in front."""
    line = 'HERE=$PWD/e2e/cluster; . "$HERE/lib/places.sh"; echo "$BIN"'
    out = subprocess.run(["bash", "-c", line], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return out.strip() + os.pathsep + os.environ["PATH"]


def api(counts):
    need_cluster_tools(root=False)
    if build(counts, "test"):
        on_api_server(counts, [], api_programs)
    # The chart's pods are tried, too: that takes the service accounts that a controller makes.
    on_api_server(counts, ["--with-controller-manager"], packaging)


def packaging(counts, kubeconfig, environment):
    bin_folder = {"AGENT_MEMORY_BIN": os.path.join(ROOT, "build/test/bin")}
    script(counts, "packaging_test.py", ["python3", "e2e/packaging_test.py", "--kubeconfig", kubeconfig], 600, environment)
    script(counts, "agentops_move_test.py", ["python3", "e2e/agentops_move_test.py"], 600, {**environment, **bin_folder})
    script(counts, "retained_volumes_test.py", ["python3", "e2e/retained_volumes_test.py", "--kubeconfig", kubeconfig], 600, {**environment, **bin_folder})
    script(counts, "kstatus_test.py", ["python3", "e2e/kstatus_test.py", "--kubeconfig", kubeconfig], 1200, {**environment, **bin_folder})
    script(counts, "rights_test.py", ["python3", "e2e/rights_test.py"], 600, {**environment, **bin_folder})
    for more in ([], ["--without"]):
        script(counts, " ".join(["list_streams_test.py", *more]), ["python3", "e2e/list_streams_test.py", *more], 600, {**environment, **bin_folder})
    script(counts, "canary_test.py", ["python3", "e2e/canary_test.py", "--kubeconfig", kubeconfig], 600, {**environment, **bin_folder})


def on_api_server(counts, options, tests):
    kubeconfig = up(counts, "--api-only", "--follow", str(os.getpid()), *options)
    if not kubeconfig:
        return
    environment = {"AGENT_MEMORY_TEST_KUBECONFIG": kubeconfig, "KUBECONFIG": kubeconfig, "PATH": tools_path(),
                   "LSAN_OPTIONS": f"suppressions={ROOT}/cmake/lsan.supp:print_suppressions=0"}
    try:
        tests(counts, kubeconfig, environment)
    finally:
        run(["e2e/cluster/down", "--purge", "--state", os.path.dirname(kubeconfig)], 120, echo=False)


def api_programs(counts, kubeconfig, environment):
    for path in sorted(glob.glob(os.path.join(ROOT, "build/test/bin/*_test"))):
        api_suites(counts, path, environment)
    bin_folder = {"AGENT_MEMORY_BIN": os.path.join(ROOT, "build/test/bin")}
    script(counts, "leadership_test.py", ["python3", "e2e/leadership_test.py", "--kubeconfig", kubeconfig], 600, {**environment, **bin_folder})
    script(counts, "operator_faults_test.py", ["python3", "e2e/operator_faults_test.py"], 600, {**environment, **bin_folder})
    script(counts, "metrics_test.py", ["python3", "e2e/metrics_test.py", "--kubeconfig", kubeconfig], 120, {**environment, **bin_folder})
    script(counts, "foreign_pods_test.py", ["python3", "e2e/foreign_pods_test.py", "--kubeconfig", kubeconfig], 600, {**environment, **bin_folder})
    script(counts, "foreign_pods_test.py by webhook", ["python3", "e2e/foreign_pods_test.py", "--kubeconfig", kubeconfig, "--mode", "webhook"], 600, {**environment, **bin_folder})
    script(counts, "webhook_test.py", ["python3", "e2e/webhook_test.py", "--kubeconfig", kubeconfig], 600, {**environment, **bin_folder})
    script(counts, "crd_test.py", ["python3", "e2e/crd_test.py", "--kubeconfig", kubeconfig], 600, environment)


def api_suites(counts, path, environment):
    name = os.path.basename(path)
    listed = subprocess.run([path, "--gtest_filter=*ApiServer*", "--gtest_list_tests"], capture_output=True, text=True,
                            check=False, cwd=ROOT).stdout
    if not re.search(r"ApiServer", listed):
        return
    reports = os.path.join(ROOT, "build/test/api-reports/")
    shutil.rmtree(reports, ignore_errors=True)
    code, _ = run([path, "--gtest_filter=*ApiServer*", "--gtest_brief=1", "--gtest_output=json:" + reports], 600, environment)
    counts.add(name, *gtest_counts(reports, name.removesuffix("_test"), code == 0))


def cluster(counts):
    need_cluster_tools(root=True)
    if not build(counts, "release"):
        return
    kind = bool(shutil.which("kind")) and subprocess.run(["docker", "info"], capture_output=True, check=False).returncode == 0
    which = ["--kind"] if kind else []
    ran_before = not kind and subprocess.run(
        ["bash", "-c", 'HERE=$PWD/e2e/cluster; . "$HERE/lib/places.sh"; kubectl get --raw /readyz --request-timeout 2s'],
        cwd=ROOT, capture_output=True, check=False).returncode == 0
    kubeconfig = up(counts, *which)
    if not kubeconfig:
        return
    environment = {"KUBECONFIG": kubeconfig, "PATH": tools_path()}
    try:
        print("  e2e/images", flush=True)
        if run(["e2e/images", *which], 3600, environment)[0]:
            counts.add("e2e/images", 0, 1)
            return
        script(counts, "story, cluster", ["python3", "e2e/story/tell.py", "cluster"], 1800, environment)
    finally:
        if not ran_before:
            run(["e2e/cluster/down", *(which or ["--purge"])], 180, echo=False)


TIERS = {"unit": unit, "program": program, "api": api, "cluster": cluster}


def main():
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that what runs is ended too
    asked = sys.argv[1:] or list(TIERS)
    if set(asked) - set(TIERS):
        print(f"test: no tier {', '.join(sorted(set(asked) - set(TIERS)))}; there are {', '.join(TIERS)}", file=sys.stderr)
        return 64
    counts, times = Counts(), []
    for name in asked:
        started = time.monotonic()
        print(f"\n=== {name}", flush=True)
        try:
            TIERS[name](counts)
        except Skip as why:
            counts.skip(name, str(why))
        times.append(f"{name} {time.monotonic() - started:.0f} s")
    print("\ntime: " + ", ".join(times))
    for what in counts.skipped:
        print("skipped: " + what)
    print(f"{counts.passed} passed, {counts.failed} failed, {len(counts.skipped)} skipped", flush=True)
    return 1 if counts.failed or not counts.passed and not counts.skipped else 0


if __name__ == "__main__":
    sys.exit(main())
