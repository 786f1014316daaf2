#!/usr/bin/env python3
"""Generates lib/redaction/published_formats.cc, the secret formats that others maintain, from a pinned version of the
configuration of gitleaks (MIT licence), whose expressions are RE2's. own_formats.cc has our own formats.

    scripts/secret_formats.py                 writes the file
    scripts/secret_formats.py --check         exit 1 if the file differs from the output for the pinned version
    scripts/secret_formats.py --config FILE   reads FILE instead of asking the Go module proxy (also with --check)

For a newer version change VERSION and SUM (`go mod download -json` prints it), run the script, and review the difference.
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import tomllib

ROOT = pathlib.Path(__file__).resolve().parent.parent
TARGET = ROOT / "lib/redaction/published_formats.cc"
MODULE, VERSION, SUM = "github.com/zricethezav/gitleaks/v8", "v8.28.0", "h1:XXeibrt4XbdrYm3FnzXR3uUPs9HbgGduroICjBl6PMw="

# Omitted rules, with the reasons.
WITHOUT = {
    "curl-auth-header": "headers are assignments", "curl-auth-user": "a format of our own reads on from each curl once",
    "facebook-access-token": "its only literal is the name of a company", "generic-api-key": "assignments are read by code",
    "jwt": "a format of our own", "private-key": "key blocks are read by code", "adobe-client-id": "an id is public",
    "asana-client-id": "an id is public", "bitbucket-client-id": "an id is public", "discord-client-id": "an id is public",
    "linkedin-client-id": "an id is public", "messagebird-client-id": "an id is public", "plaid-client-id": "an id is public",
    "sendbird-access-id": "an id is public", "flutterwave-public-key": "public", "lob-pub-api-key": "public", "mailgun-pub-key": "public",
    "sourcegraph-access-token": "takes any commit for a token",
}
# Literals with which a match begins, for expressions that do not begin with one; a number: at most so many characters
# precede the literal.
BEGINS = {
    "atlassian-api-token": "atlassian|confluence|jira|ATATT3", "authress-service-client-access-key": "sc_|ext_|scauth_|authress_",
    "azure-ad-client-secret": ("Q~", 5), "cisco-meraki-api-key": "meraki", "cohere-api-token": "cohere|CO_API_KEY", "etsy-access-token": "etsy",
    "github-app-token": "ghu_|ghs_", "harness-api-key": "pat.|sat.", "hashicorp-tf-api-token": ("atlasv1", 15),
    "jfrog-api-key": "jfrog|artifactory|bintray|xray", "jfrog-identity-token": "jfrog|artifactory|bintray|xray",
    "maxmind-license-key": ("_mmk", 36), "okta-access-token": "okta", "sumologic-access-id": "sumo", "sumologic-access-token": "sumo",
    "sidekiq-secret": "BUNDLE_ENTERPRISE__CONTRIBSYS__COM|BUNDLE_GEMS__CONTRIBSYS__COM", "nytimes-access-token": "nytimes|new-york-times,|newyorktimes",
    "square-access-token": "EAAA|sq0atp-", "stripe-access-token": "sk_test|sk_live|sk_prod|rk_test|rk_live|rk_prod",
    "vault-service-token": "hvs.|s.", **{f"new-relic-{name}": "new-relic|newrelic|new_relic" for name in
                                       ("browser-api-token", "insert-key", "user-api-id", "user-api-key")},
    "microsoft-teams-webhook": "https://", "sidekiq-sensitive-url": "http", "slack-webhook-url": "hooks.slack.com",
}
OPENINGS = (r"\b", "(?i)", "(?i:", "(?-i:", "(?:", "(")


def config_of(path):
    if path:
        return pathlib.Path(path).read_bytes()
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(["go", "mod", "download", "-json", f"{MODULE}@{VERSION}"], cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"secret_formats: go mod download {MODULE}@{VERSION} failed; give its config/gitleaks.toml by --config: {done.stderr}")
    module = json.loads(done.stdout)
    if module["Sum"] != SUM:
        raise SystemExit(f"secret_formats: {MODULE}@{VERSION} has the sum {module['Sum']}, pinned is {SUM}: do not use it")
    return (pathlib.Path(module["Dir"]) / "config/gitleaks.toml").read_bytes()


def beginning(expression):
    """→ the literal with which each match begins, '' if there is none."""
    while opening := next((o for o in OPENINGS if expression.startswith(o)), ""):
        if opening == "(" and expression.startswith("(?"):
            return ""
        expression = expression[len(opening):]
    literal = ""
    while match := re.match(r"[\w\-~:/=<> ]|\\[.\-/]", expression, re.A):
        literal += match[0][-1]
        expression = expression[len(match[0]):]
    if expression[:1] in tuple("*?{+"):
        literal = literal[:-1]
    return "" if expression[:1] == "|" else literal


def adapted(expression):
    """Drops prefixes for names, which cost time without use; ends a value at any character that values do not have, not
    only at blanks and quotes; and drops a leading \\b, so that a format may also begin after '_', which the redactor checks.
    → (expression, whether it began with \\b)"""
    expression = expression.replace(r"[\w.-]{0,50}?", "").replace(r"""(?:[\x60'"\s;]|\\[nr]|$)""", r"(?:[^\w/+-]|$)")
    bound = expression.startswith((r"\b", r"(?i)\b"))
    return (expression.replace(r"\b", "", 1) if bound else expression), bound


def row(rule):
    expression, bound = adapted(rule["regex"])
    begins = BEGINS.get(rule["id"]) or beginning(expression)
    begins, lead = begins if isinstance(begins, tuple) else (begins, 0)
    if len(begins) < 2:
        raise SystemExit(f"secret_formats: no literal begins each match of {rule['id']}: name it in BEGINS, or the rule in WITHOUT\n  {expression}")
    if rule["id"] == "slack-webhook-url":
        expression = expression.removeprefix("(?:https?://)?").replace("{43,56}", "{20,}")
    group = 0 if rule["id"] == "microsoft-teams-webhook" else rule.get("secretGroup", -1)  # the whole URL is secret
    return (f'    {{"{rule["id"]}", {json.dumps(begins)}, R"~~({expression})~~", {lead}, {str(bound).lower()}, '
            f'{str("{0,20}" in expression).lower()}, {group}, {rule.get("entropy", 0):g}}},')


def generated(config):
    rules = [rule for rule in tomllib.loads(config.decode())["rules"] if rule.get("regex") and not rule.get("path")]
    unknown = (set(WITHOUT) | set(BEGINS)) - {rule["id"] for rule in rules}
    if unknown:
        raise SystemExit(f"secret_formats: {VERSION} has no rule {', '.join(sorted(unknown))}: take it out of WITHOUT or BEGINS")
    rows = [row(rule) for rule in rules if rule["id"] not in WITHOUT]
    licence = (ROOT / "scripts/secret_formats.licence").read_text(encoding="utf-8").rstrip()
    return "\n".join([
        f"// Made by scripts/secret_formats.py from the configuration of gitleaks {VERSION}: change the script, not this file.",
        "// The expressions are theirs, under this licence:", "//",
        *("// " + line if line else "//" for line in licence.split("\n")),
        '#include "lib/redaction/formats.h"', "", "namespace redaction {", "namespace {", "",
        "// clang-format off", "constexpr Format kPublished[] = {", *rows, "};", "// clang-format on", "", "}  // namespace", "",
        "std::span<const Format> PublishedFormats() { return kPublished; }", "", "}  // namespace redaction", ""])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--config")
    options = parser.parse_args()
    text = generated(config_of(options.config))
    if not options.check:
        TARGET.write_text(text, encoding="utf-8")
        print(f"{TARGET.relative_to(ROOT)}: {text.count('{' + chr(34))} formats of gitleaks {VERSION}")
        return 0
    current = TARGET.exists() and TARGET.read_text(encoding="utf-8") == text
    print(f"{TARGET.relative_to(ROOT)} is {'current' if current else 'not what this script makes of gitleaks ' + VERSION + ': run it'}")
    return 0 if current else 1


if __name__ == "__main__":
    sys.exit(main())
