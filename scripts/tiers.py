#!/usr/bin/env python3
"""The tiers of scripts/test: the builds, the scripts of e2e/ and the requirements of each. jobs.py runs them side by side;
CTest and GoogleTest find single tests."""
import contextlib
import functools
import os
import re
import shutil
import subprocess
import sys
import time

import both_engines
import rooms
from jobs import JOBS, ROOT, UNIT_LANES, GoogleTests, Results, Section, alone, end_all, exit_on_terminate, folder_in_memory, indented, must, run, say, script
sys.path.append(os.path.join(ROOT, "e2e/support"))
import postgres

# Programs that run again with ThreadSanitizer: those of folders that start threads.
RACE_TESTS = ("lib_base", "lib_http", "lib_sqlite", "lib_postgres", "lib_kube", "memory", "sidecar", "operator")
TEST_SUITE = re.compile(r"^\s*(?:TEST|TEST_F|TEST_P|TYPED_TEST)\(\s*(\w+)\s*,", re.M)

# What takes minutes under ThreadSanitizer and has no concurrency that other tests lack: the processor time of pure functions,
# every statement of a migration, pages of large answers.
NO_RACE = ":".join((
    "HostileText.*", "Migration.CrashAtAnyStatementLosesNoRow", "ConversationRoutesTest.TheListIsPagedAndNeverLargerThanAnAnswer",
    "ConversationRoutesTest.AnAnswerHasEightMebibytesAtMostAndSaysWhereItGoesOn",
    "CheckpointRoutesTest.ManyMessagesComeInPagesOfOneGeneration", "AuditReader.NoAnswerIsLargerThanItsLimit",
    "AnswersInABudget.StoredJsonIsChargedForItsParsedTree", "PromptEscape.AThousandPayloadsNeverBreakOut",
    "Damaged.AnyLostPageKeepsTheRest", "CleanPages.*"))

# Suites and tests of the tier `long`: three quarters of the time of all unit tests. Fewer rows, pages or kill points would
# weaken them. A name without a test has no effect: a renamed test runs in `unit`. The tier `race` runs them, too.
LONG = {
    "operator": ("CrashPoints.AnotherOperatorFinishesAfterAnyLastWrite", "HostileObjects.NeverEndTheProcessOrThrow",
                 "NeedlessWrites.UnchangedObjectIsNeverWritten", "RunningOperatorTest.*", "RolloutPaceTest.*"),
    "lib_base": ("JsonMend.*",),
    "lib_conversation": ("Compaction.MemoryOfManyCallsIsBounded", "TaskTextProperty.*"),
    "lib_redaction": ("RedactionCorpus.*",),
    "lib_sqlite": ("CleanPages.*",),
    "sidecar": ("HostileText.*", "LoopGuard.AThousandTurnsCaptureNothingAgain", "Growth.*", "MemoryBudget.*", "Replay.*",
                "PromptEscape.*", "InjectionReplay.*", "Digest.SizeIsBoundedForLongSession",
                "Damaged.AnyLostPageKeepsTheRest", "Damaged.LogIsSalvagedWithItsFile",
                "CheckpointRoutesTest.ManyMessagesComeInPagesOfOneGeneration",
                "ConversationRoutesTest.TheListIsPagedAndNeverLargerThanAnAnswer",
                "ConversationRoutesTest.AnAnswerHasEightMebibytesAtMostAndSaysWhereItGoesOn",
                "AuditReader.NoAnswerIsLargerThanItsLimit", "LedgerTest.AListComesInPagesInTheOrderOfItsMarks",
                "DeliveryTest.WrongServerSuspendsTheOutbox"),
    "memory": ("AnswerLimit.*", "ApiTest.TenThousandRowsSurviveARoundTripOnce", "ContractLimits.*", "LargeProject.*", "MoveProgramTest.*",
               "NoteEdgesTest.*", "PageRoute.*", "ReadTimeout.*", "ResidentIndexes.*", "ResidentTenants.*", "RetentionModelTest.*",
               "RoundTripTest.*", "StoreCheck.*", "StoreEraseTest.*", "StoreLogTest.*", "StoreModel.*", "VectorsTable.*",
               "IdleReaderTest.PageCachesOfAllTenantsShareOneBudget",
               "Migration.CrashAtAnyStatementLosesNoRow",
               "RetentionTest.KilledSweepLosesNothingAndTheNextCompletesIt",
               "RetentionTest.ThirtyDaysStayWithinTheRulesAndKeepUsedRows")}

# Name, script, time limit in seconds: of one that hangs, so several times what it takes on a busy machine. Longest first, so
# that no lane ends with a long one. Each uses its own ports and folders.
PROGRAMS = (
    ("server away", "crash/server_away.py", 3600), ("MCP clients", "clients/mcp_test.py", 3600),
    ("agents of docs/agents", "clients/agents_test.py", 2700), ("loops of docs/agents/examples", "clients/loops_test.py", 3600), ("Claude Code", "clients/claude_code_test.py", 2700),
    ("memory on one machine", "clients/laptop_test.py", 1800), ("agents of one machine", "clients/laptop_agents_test.py", 2700),
    ("transcripts", "clients/transcripts_test.py", 900), ("Markdown mirror", "clients/mirror_test.py", 900), ("what models see", "clients/model_sees_test.py", 2700), ("stop in flight", "crash/stop_in_flight.py", 1800),
    ("power loss", "crash/power_loss.py", 3600), ("kill loops", "crash/kill_loops.py", 1800),
    ("PostgreSQL away", "crash/postgres_away.py", 1800), ("PostgreSQL fails over", "crash/postgres_failover.py", 900), ("replicas on PostgreSQL", "crash/postgres_replicas.py", 900), ("sync errors", "crash/sync_errors.py", 1800), ("damaged state", "crash/damaged_state.py", 900),
    ("contents of images", "packaging/image_contents_test.py", 900), ("pod boundary", "crash/pod_boundary.py", 900), ("listeners", "observability/listeners_test.py", 900), ("model away", "crash/model_away.py", 900), ("endless answers", "crash/endless_answers.py", 900),
    ("reference client", "clients/reference_client.py", 900), ("AEGIS client", "clients/aegis_test.py", 900), ("AgentOS client", "clients/agentos_test.py", 900), ("AgentOps clients", "clients/agentops_clients.py", 900),
    ("examples of the API page", "clients/api_examples.py", 900), ("client of the chapter", "clients/chapter_test.py", 900), ("OpenAPI", "clients/openapi_test.py", 1800), ("traces", "observability/traces_test.py", 900),
    ("story, embedded", "story/tell.py embedded", 900))
# Those of the tier `quick`: seconds each, nothing from a registry.
QUICK = ("story, embedded", "listeners", "memory on one machine", "damaged state", "model away", "traces", "examples of the API page", "pod boundary",
         "AgentOps clients", "reference client")
PROGRAMS_ALONE = (  # they measure times, or fill a disk
    ("hostile requests", "crash/hostile_requests.py", 1800), ("full disk", "crash/full_disk.py", 1800),
    ("wrong start", "crash/wrong_start.py", 900))
API_SERVER = (
    ("leadership", "operator/leadership_test.py --kubeconfig {}", 1800), ("operator faults", "operator/faults_test.py", 1800),
    ("foreign pods", "operator/foreign_pods_test.py --kubeconfig {}", 1800),
    ("foreign pods by webhook", "operator/foreign_pods_test.py --kubeconfig {} --mode webhook", 1800),
    ("webhook", "operator/webhook_test.py --kubeconfig {}", 1800), ("CRDs", "operator/crd_test.py --kubeconfig {}", 1800), ("GitOps", "operator/gitops_test.py --kubeconfig {}", 1800),
    ("metrics", "observability/metrics_test.py --kubeconfig {}", 900))
# They create the chart's Pods, too, which need the ServiceAccounts of a controller manager.
API_SERVER_WITH_CONTROLLERS = (
    ("kstatus", "operator/kstatus_test.py --kubeconfig {}", 3600), ("packaging", "packaging/packaging_test.py --kubeconfig {}", 1800),
    ("retained volumes", "operator/retained_volumes_test.py --kubeconfig {}", 1800), ("canary", "operator/canary_test.py --kubeconfig {}", 1800),
    ("move from AgentOps", "packaging/agentops_move_test.py", 1800), ("rights", "operator/rights_test.py", 1800), ("causes", "operator/causes_test.py --kubeconfig {}", 1800), ("replicas on PostgreSQL", "operator/postgres_test.py --kubeconfig {}", 1800),
    ("lists by streams", "operator/list_streams_test.py", 1800), ("lists without streams", "operator/list_streams_test.py --without", 1800))
# Repetitions that search for rare failures, and long outages: not part of all.
LOOPS = (
    ("leadership, long", "operator/leadership_test.py --kubeconfig {} --long", 1800),
    ("leadership loops", "operator/leadership_loops.py --kubeconfig {}", 3600))
LOOPS_OF_PROGRAMS = (("kill loops", "crash/kill_loops.py --rounds 1000", 3600), ("kill loops, 100,000 rows", "crash/kill_loops.py --rounds 200 --rows 100000", 3600), ("PostgreSQL fails over, 20 times", "crash/postgres_failover.py --kills 20", 3600),
                     ("replicas on PostgreSQL, long", "crash/postgres_replicas.py --asked 100000 --kills 100", 7200))


# Scripts that install packages of npm, PyPI or Go, and so need the network of the machine; each other one of PROGRAMS has its own.
REGISTRY = ("MCP clients", "agents of docs/agents", "loops of docs/agents/examples", "Claude Code", "agents of one machine", "transcripts",
            "what models see", "AEGIS client", "AgentOS client", "AgentOps clients", "client of the chapter", "OpenAPI")


class Skip(Exception):
    """This machine cannot run the tier; the text says why."""


def is_configured(folder, with_tests):
    """False also if the folder was configured without tests (scripts/run, scripts/install) and they are wanted."""
    if not os.path.exists(os.path.join(folder, "build.ninja")):
        return False
    with open(os.path.join(folder, "CMakeCache.txt"), encoding="utf-8") as file:
        return not with_tests or "AGENT_MEMORY_TESTS:BOOL=ON" in file.read()


def build(results, preset, targets=(), with_tests=False):
    """`with_tests`: of a preset that has none by itself (release)."""
    folder = os.path.join(ROOT, "build", preset)
    configured = is_configured(folder, with_tests) or must(
        results, f"configure {preset}", ["cmake", "--preset", preset, *(["-DAGENT_MEMORY_TESTS=ON"] if with_tests else [])], 300)
    argv = ["cmake", "--build", "--preset", preset, "-j", str(JOBS)] + (["--target", *targets] if targets else [])
    started = time.time()
    built = configured and must(results, f"build {preset}", argv, 3600)
    if built and touch_edited(started):
        built = must(results, f"build {preset} again: files changed while it ran", argv, 3600)
    if not built:
        results.add(f"build {preset}", 0, 1)
    return built


def touch_edited(since, root=ROOT):
    """Touches sources that changed after `since`: ninja takes an object as current even if its source changed while the
    compiler ran → the number of these sources."""
    edited = [path for folder in rooms.CODE for base, _, names in os.walk(os.path.join(root, folder)) for name in names
              if name.endswith((".cc", ".h")) and os.path.getmtime(path := os.path.join(base, name)) >= since]
    for path in edited:
        os.utime(path)
    return len(edited)


def scripts(results, table, **more):
    """→ a job for each line; its argument is the environment of its lane."""
    tier = results.tier

    def job(name, command, limit, environment):
        environment = {**(environment or {}), **more}
        command = command.format(environment.get("KUBECONFIG")).split()
        argv = ["python3", "e2e/" + command[0], *command[1:]]
        shares = name in REGISTRY or "KUBECONFIG" in environment
        script(results, name, argv if shares else alone(argv), limit, environment, tier)
    return [functools.partial(job, *line) for line in table]


def tests_ran(results, preset, jobs):
    if not jobs:
        results.add(f"{preset}: ctest knows no test", 0, 1)
    return jobs


def unit_tests(results, section, preset):
    """All but those of LONG, and the tests of the scripts."""
    code, out = run(["python3", "scripts/tidy.py", "--self-test"], 60)
    results.add("tidy self-test", int(code == 0), int(code != 0), output=indented(out))
    script(results, "strace log", ["python3", "e2e/crash/strace_log_test.py"], 60)
    script(results, "counting", ["python3", "scripts/jobs_test.py"], 60)
    late = ":".join(name for names in LONG.values() for name in names)
    with folder_in_memory() as place, postgres.for_tests(say) as server:
        section.lanes(UNIT_LANES, tests_ran(results, preset, GoogleTests(results, preset, place | server).jobs(skipped=late)))
        section.run()


def quick(results, section):
    """One build, that of scripts/run and scripts/install with the tests beside it."""
    if build(results, "release", with_tests=True):
        unit_tests(results, section, "release")
        section.lanes(JOBS, scripts(results, [line for line in PROGRAMS if line[0] in QUICK]))
        section.run()


def unit(results, section):
    if build(results, "test"):
        unit_tests(results, section, "test")


def long(results, section):
    if build(results, "test", [name + "_test" for name in LONG]) and build(results, "release", ["memory_test", both_engines.ENGINE, "agent-memory-server"], with_tests=True):
        with folder_in_memory() as place, postgres.for_tests(say) as server:
            jobs = [job for name, names in LONG.items() for job in GoogleTests(results, "test", place).jobs([name], ":".join(names))]
            section.lanes(UNIT_LANES, tests_ran(results, "test", jobs) + both_engines.routes(results, "release", place | server) + both_engines.versions(results))
            section.run()


def clang(results, section):
    """A second compiler, without joined units and precompiled headers."""
    if build(results, "clang"):
        results.add("build clang", 1, 0)


def suites(paths):
    return sorted({suite for path in paths for suite in TEST_SUITE.findall(open(path, encoding="utf-8").read())})


def without_threads():
    """→ a filter of the suites in pure rooms whose tests start no thread: nothing can race. A suite with a namesake elsewhere
    is left out, because a filter matches names only."""
    pure, others = [], []
    for folder, _, files in os.walk(ROOT):
        room = "README.md" in files and rooms.is_pure(os.path.join(folder, "README.md"))
        for path in (os.path.join(folder, name) for name in files if name.endswith("_test.cc")):
            with open(path, encoding="utf-8") as file:
                threads = re.search(r"std::(jthread|thread|async)\b|lib/testing/", file.read())
            (pure if room and not threads else others).append(path)
    return ":".join(f"{suite}.*:*/{suite}.*" for suite in sorted(set(suites(pure)) - set(suites(others))))


def race(results, section):
    """On the disk, where syncs take time: tests of files and commits run there and, in `unit` and `long`, in memory."""
    if build(results, "race", [t + "_test" for t in RACE_TESTS]):
        with postgres.for_tests(say) as server:
            jobs = GoogleTests(results, "race", server).jobs(RACE_TESTS, skipped=without_threads() + ":" + NO_RACE)
            section.lanes(UNIT_LANES, tests_ran(results, "race", jobs))
            section.run()


def programs(results, section):
    if build(results, "release", ["programs"]):
        section.lanes(JOBS, scripts(results, PROGRAMS))
        section.alone += scripts(results, PROGRAMS_ALONE)


def with_packages(tier, *table):
    """→ a tier of scripts that install packages of registries, and so are not in a network of their own."""
    def job(results, name, path, _):
        script(results, name, ["python3", path], 1800, tier=tier)
    return lambda results, section: build(results, "release", ["programs"]) and section.lanes(1, [functools.partial(job, results, *line) for line in table])


integrations = with_packages("integrations", ("Python client", "integrations/python/run_tests.py"), ("TypeScript client", "integrations/typescript/run_tests.py"))
console = with_packages("console", ("web console", "e2e/console/console_test.py"))


def need_cluster_tools(root):
    if sys.platform != "linux":
        raise Skip("needs Linux")
    if root and os.getuid() != 0:
        raise Skip("needs root: the node runs containers")
    code, out = run(["scripts/deps", "cluster"], 1800)
    if code:
        raise Skip((out.strip().split("\n") or ["scripts/deps cluster failed"])[-1])


def up(results, *arguments):
    """→ the path of the kubeconfig, or None if the cluster does not start."""
    say(f"  e2e/cluster/up {' '.join(arguments)} (15 minutes the first time)")
    with results.timed("e2e/cluster/up"):
        done = subprocess.run(["e2e/cluster/up", *arguments], cwd=ROOT, capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, check=False)
    if done.returncode:
        results.add("e2e/cluster/up", 0, 1, output=indented(done.stderr))
        return None
    return done.stdout.strip().split("\n")[-1]


@functools.cache
def tools_path():
    """→ PATH with the kubectl and helm of the cluster first."""
    line = 'HERE=$PWD/e2e/cluster; . "$HERE/lib/places.sh"; echo "$BIN"'
    out = subprocess.run(["bash", "-c", line], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return out.strip() + os.pathsep + os.environ["PATH"]


@contextlib.contextmanager
def an_api_server(results, *options):
    """Starts an API server for one lane → the environment of its tests."""
    kubeconfig = up(results, "--api-only", "--follow", str(os.getpid()), *options)
    if not kubeconfig:
        yield None
        return
    try:
        yield {"AGENT_MEMORY_TEST_KUBECONFIG": kubeconfig, "KUBECONFIG": kubeconfig, "PATH": tools_path(),
               "LSAN_OPTIONS": f"suppressions={ROOT}/cmake/lsan.supp:print_suppressions=0",
               "AGENT_MEMORY_BIN": os.path.join(ROOT, "build/test/bin")}
    finally:
        run(["e2e/cluster/down", "--purge", "--state", os.path.dirname(kubeconfig)], 120)


def api_suites(results, environment):
    """Runs the suites named ApiServer of all test programs, on the API server of the environment."""
    tests = GoogleTests(results, "test")
    for test in tests.tests:
        name = test["name"]
        if not test.get("command") or not test["command"][0].endswith("_test"):
            continue
        listed = subprocess.run([*test["command"], "--gtest_list_tests", "--gtest_filter=*ApiServer*"], capture_output=True,
                                text=True, check=False, cwd=ROOT).stdout
        if "ApiServer" in listed:
            tests.whole(test, "*ApiServer*", environment, f"{name}, on an API server")


def api_server(results, section):
    need_cluster_tools(root=False)
    if build(results, "test"):
        jobs = [functools.partial(api_suites, results), *scripts(results, API_SERVER)]
        section.lanes(2, [jobs[1], jobs[0], *jobs[2:]], lambda: an_api_server(results))
        section.lanes(2, scripts(results, API_SERVER_WITH_CONTROLLERS),
                      lambda: an_api_server(results, "--with-controller-manager"))


def cluster(results, section):
    section.run()  # the other tiers: the node needs the whole machine
    need_cluster_tools(root=True)
    if not build(results, "release", ["programs"]):
        return
    kind = bool(shutil.which("kind")) and subprocess.run(["docker", "info"], capture_output=True, check=False).returncode == 0
    which = ["--kind"] if kind else []
    ran_before = not kind and subprocess.run(
        ["bash", "-c", 'HERE=$PWD/e2e/cluster; . "$HERE/lib/places.sh"; kubectl get --raw /readyz --request-timeout 2s'],
        cwd=ROOT, capture_output=True, check=False).returncode == 0
    kubeconfig = up(results, *which)
    if not kubeconfig:
        return
    environment = {"KUBECONFIG": kubeconfig, "PATH": tools_path()}
    try:
        if not must(results, "e2e/packaging/images", ["env", "PATH=" + environment["PATH"], "KUBECONFIG=" + kubeconfig, "e2e/packaging/images", *which], 3600):
            results.add("e2e/packaging/images", 0, 1)
            return
        script(results, "story, cluster", ["python3", "e2e/story/tell.py", "cluster"], 3600, environment)
    finally:
        if not ran_before:
            run(["e2e/cluster/down", *(which or ["--purge"])], 180)


def loops(results, section):
    need_cluster_tools(root=False)
    if build(results, "release", ["programs", both_engines.ENGINE], with_tests=True):
        section.lanes(1, scripts(results, LOOPS_OF_PROGRAMS) + both_engines.long_series(results))
        section.lanes(1, scripts(results, LOOPS, AGENT_MEMORY_BIN=os.path.join(ROOT, "build/release/bin")),
                      lambda: an_api_server(results))


def room(results, section, folder):
    """Builds the test program of the room and runs the tests in the room."""
    top = folder
    while top and not os.path.exists(os.path.join(ROOT, top, "CMakeLists.txt")):
        top = os.path.dirname(top)
    here = os.path.join(ROOT, folder)
    found = suites(os.path.join(base, name) for base, _, names in os.walk(here) for name in names if name.endswith("_test.cc"))
    if not top or not found:
        results.add(f"{folder}: no room with tests", 0, 1)
        return
    name = top.replace("/", "_")
    if build(results, "release", [name + "_test"], with_tests=True):
        asked = ":".join(f"{suite}.*:*/{suite}.*:{suite}/*" for suite in found) + ":-*ApiServer*"
        with folder_in_memory() as place, postgres.for_tests(say) as server:
            section.lanes(UNIT_LANES, tests_ran(results, "release", GoogleTests(results, "release", place | server).jobs([name], asked)))
            section.run()


TIERS = {"unit": unit, "long": long, "clang": clang, "race": race, "programs": programs, "integrations": integrations, "console": console, "api-server": api_server, "cluster": cluster}
MORE = {"quick": quick, "loops": loops}
GROUPS = {"all": list(TIERS), "program": ["race", "programs"], "api": ["api-server"]}  # the last two: names of the previous release


def main():
    exit_on_terminate()
    asked = [tier for word in sys.argv[1:] if word != "--times" for tier in GROUPS.get(word, [word.rstrip("/")])] or ["quick"]
    folders = [word for word in asked if word.split("/")[0] in rooms.CODE and os.path.isdir(os.path.join(ROOT, word))]
    unknown = set(asked) - set(TIERS) - set(MORE) - set(folders)
    if unknown:
        print(f"test: no tier and no room {', '.join(sorted(unknown))}; there are {', '.join(['all', *TIERS, *MORE])}", file=sys.stderr)
        return 64
    results, ended = Results(), []
    section = Section(results)
    try:
        for name in asked:
            started, results.tier = time.monotonic(), name
            print(f"\n=== {name}", flush=True)
            try:
                if name in folders:
                    room(results, section, name)
                else:
                    (TIERS | MORE)[name](results, section)
            except Skip as why:
                results.skip(name, str(why))
            ended.append(f"{name} {time.monotonic() - started:.0f} s")
        section.run()
    finally:
        end_all()
    table = results.time_table()
    os.makedirs(os.path.join(ROOT, "build"), exist_ok=True)
    with open(os.path.join(ROOT, "build/times.txt"), "w", encoding="utf-8") as file:
        file.write(table)
    if "--times" in sys.argv:
        print("\n" + table, end="")
    print(f"\ntime: {time.monotonic() - results.started:.0f} s ({', '.join(ended)}; single times: build/times.txt)")
    for what in results.skipped:
        print("skipped: " + what)
    print(f"{results.passed} passed, {results.failed} failed, {len(results.skipped)} skipped", flush=True)
    return 1 if results.failed or not results.passed and not results.skipped else 0


if __name__ == "__main__":
    sys.exit(main())
