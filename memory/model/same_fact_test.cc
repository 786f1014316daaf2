// Pairs of memories, English and German: the same fact in other words, and facts that differ in
// little. `earlier` is what a person states, `later` what a model notes.
#include "memory/model/same_fact.h"

#include <gtest/gtest.h>

#include <string>

namespace memory {
namespace {

struct Pair {
  const char *earlier, *title, *later;
};

Saying Compare(const Pair& pair) {
  return CompareSaid(SaidFact(std::string(pair.earlier).substr(0, 60), pair.earlier),
                     SaidFact(pair.title, pair.later));
}

constexpr Pair kSame[] = {
    {"No, next time use pytest. We use pytest here, not unittest.", "Tests are written with pytest",
     "This repository tests with pytest; unittest is not used."},
    {"Use pnpm, not npm, for the scripts.", "pnpm runs the scripts",
     "Package scripts are run with pnpm, not with npm."},
    {"Staging's Postgres listens on 5433, not 5432, because the old cluster still runs beside it.",
     "Port of Postgres on staging",
     "On staging Postgres listens on port 5433 and not on 5432, since the old cluster is still "
     "running beside it."},
    {"Let's decide: prices are integer cents everywhere, floats lost us money in March.",
     "Prices are integer cents",
     "Decision: prices are stored as integer cents everywhere, because floats lost money in "
     "March."},
    {"No, next time use pytest. We use pytest here, not unittest.", "Tests are written with pytest",
     "This repository tests with pytest; unittest is not used. The user corrected a test that was "
     "written with unittest."},
    {"We decided yesterday to drop offline routing, because the graph files are larger than 2 GB.",
     "No offline routing",
     "Offline routing was dropped, because the graph files are larger than 2 GB."},
    {"deploys happen on Tuesdays only", "Deploys on Tuesdays", "Deploys happen only on Tuesdays."},
    {"From now on write commit messages in the imperative.", "Commit messages are imperative",
     "The user wants commit messages written in the imperative from now on."},
    {"That's because the export of February 12 to 25 is missing; the warehouse team will not "
     "deliver it again.",
     "Export of 12 to 25 February is missing",
     "The export of February 12 to 25 is missing and the warehouse team will not deliver it "
     "again."},
    {"Actually, we count weeks from Sunday, not from Monday.", "Weeks begin on Sunday",
     "Weeks are counted from Sunday here, not from Monday."},
    {"I prefer polars over pandas for anything above a million rows.", "polars for large tables",
     "The user prefers polars to pandas for anything above a million rows."},
    {"We decided against Prophet because it cannot take promotions as regressors per store.",
     "No Prophet",
     "Decision against Prophet, because it cannot take promotions as regressors for each store."},
    {"By the way, our minimum Android version is 9, so don't use APIs from 10 or later.",
     "Minimum Android version",
     "The minimum Android version is 9, so APIs of 10 or later must not be used."},
    {"The Play Store account belongs to mobile@trailmap.example, ask Priya for the second factor.",
     "Play Store account",
     "The Play Store account belongs to mobile@trailmap.example; Priya has the second factor."},
    {"The worker needs 2 GB of memory per tenant.", "Memory of the worker",
     "For each tenant the worker needs 2 GB of memory."},
    {"Feature flags live in flags.yaml, not in the database.", "Feature flags",
     "Feature flags are in flags.yaml and live not in the database."},
    {"Nein, nicht pro Position: Wir runden immer erst die Summe der Rechnung.",
     "Steuer wird in der Summe gerundet",
     "Gerundet wird immer erst die Summe der Rechnung, nicht die einzelne Position."},
    {"Beträge speichern wir in Cent als ganze Zahl.", "Beträge in Cent",
     "Beträge werden als ganze Zahl in Cent gespeichert."},
    {"Der Steuerberater will DATEV-CSV mit Semikolon, Excel kann er nicht einlesen.",
     "Format für den Steuerberater",
     "Der Steuerberater braucht DATEV-CSV mit Semikolon; Excel kann er nicht einlesen."},
    {"Die Testdatenbank läuft auf Port 3307, auf 3306 ist die vom alten System.",
     "Port der Testdatenbank",
     "Die Testdatenbank läuft auf Port 3307; auf 3306 läuft die des alten Systems."},
    {"Wir haben uns entschieden, Mahnungen erst nach 21 Tagen zu schicken, weil viele Kunden nur "
     "einmal im Monat zahlen.",
     "Frist für Mahnungen",
     "Entscheidung: Mahnungen werden erst nach 21 Tagen geschickt, weil viele Kunden nur einmal im "
     "Monat zahlen."},
    {"Ab jetzt bitte alle Kommentare im Code auf Englisch.", "Kommentare auf Englisch",
     "Der Benutzer möchte ab jetzt alle Kommentare im Code auf Englisch."},
    {"Nein, Namespaces beginnen bei uns immer mit dem Präfix prj-, nicht mit team-.",
     "Präfix der Namespaces", "Namespaces beginnen hier immer mit prj- und nicht mit team-."},
    {"Wir haben entschieden, dass Zertifikate aus dem Vault kommen, weil Let's Encrypt unsere "
     "internen Namen nicht prüfen kann.",
     "Zertifikate kommen aus dem Vault",
     "Entscheidung: Zertifikate kommen aus dem Vault, weil Let's Encrypt die internen Namen nicht "
     "prüfen kann."},
    {"Ich bevorzuge Kustomize gegenüber Helm für eigene Anwendungen.",
     "Kustomize für eigene Anwendungen",
     "Der Benutzer bevorzugt Kustomize gegenüber Helm für eigene Anwendungen."},
    {"Wir benutzen OpenTofu statt Terraform.", "OpenTofu statt Terraform",
     "Hier wird OpenTofu statt Terraform benutzt."},
    {"Das Wartungsfenster ist donnerstags von 20 bis 22 Uhr.", "Wartungsfenster",
     "Das Wartungsfenster ist donnerstags von 20 bis 22 Uhr."},
};

// Numbers, names, negations, directions, order, and what only looks alike.
constexpr Pair kOther[] = {
    {"Staging's Postgres listens on 5433.", "Postgres", "Staging's Postgres listens on 5432."},
    {"Staging's Postgres listens on 5433, not 5432.", "",
     "Staging's Postgres listens on 5432, not 5433."},
    {"Staging's Postgres listens on 5433.", "", "Production's Postgres listens on 5433."},
    {"Deploys happen on Tuesdays only.", "", "Deploys happen on Thursdays only."},
    {"Deploys happen on Tuesdays, the freeze is on Fridays.", "",
     "Deploys happen on Fridays, the freeze is on Tuesdays."},
    {"Use pytest for the unit tests.", "", "Use pytest for the integration tests."},
    {"We use pytest here, not unittest.", "", "We use unittest here, not pytest."},
    {"Always squash commits before the merge.", "", "Never squash commits before the merge."},
    {"Run the migration before the deploy of the API.", "",
     "Run the migration after the deploy of the API."},
    {"Reviewers must approve changes of the schema.", "",
     "Reviewers may approve changes of the schema."},
    {"Copy the dump from staging to production.", "", "Copy the dump from production to staging."},
    {"I prefer tabs over spaces.", "", "I prefer spaces over tabs."},
    {"Deploys are blocked, because the gate is broken.", "",
     "Deploys were blocked, because the gate is broken."},
    {"I prefer tabs over spaces in Python files.", "", "I prefer spaces to tabs in Python files."},
    {"The API calls the worker.", "", "The worker calls the API."},
    {"The pool has 3 workers and 5 threads on the build server.", "",
     "The pool has 5 workers and 3 threads on the build server."},
    {"Anna owns the billing service.", "", "Ben owns the billing service."},
    {"The cache isn't shared between tenants.", "", "The cache is shared between tenants."},
    {"The public API is not versioned.", "", "The public API is versioned."},
    {"Don't deploy on Fridays after lunch.", "", "Deploy on Fridays after lunch."},
    {"Log in with the token of the service account.", "",
     "Log in with the password of the service account."},
    {"Files above 10 MB go to the bucket.", "", "Files below 10 MB go to the bucket."},
    {"The image is built by make release.", "", "The image is built by make dist."},
    {"Use version v1.2.3 of the parser.", "", "Use version v1.2.4 of the parser."},
    {"Tabs are used here.", "Indentation", "Tabs are not used here."},
    {"Use tabs.", "", "Use tabs."},  // too few words to tell
    {"It supports what is needed and used.", "", "The pool needs three workers for the import."},
    {"Bei uns sind alle Preise brutto.", "", "Vor 2020 waren alle Preise brutto gespeichert."},
    {"If the queue is full, deploys of the API are blocked.", "",
     "Deploys of the API are blocked."},
    {"Bis zum Umzug läuft der Export auf db-alt.intern.", "",
     "Der Export läuft auf db-alt.intern."},
    {"Wir runden immer die Summe der Rechnung.", "", "Wir runden nie die Summe der Rechnung."},
    {"Rechnungen gehen am 3. des Monats an Kunden.", "",
     "Rechnungen gehen am 5. des Monats an Kunden."},
    {"Die Testdatenbank läuft auf Port 3307.", "", "Die Testdatenbank läuft auf Port 3306."},
    {"Wir benutzen OpenTofu statt Terraform.", "", "Wir benutzen Terraform statt OpenTofu."},
    {"Ich bevorzuge Kustomize gegenüber Helm.", "", "Ich bevorzuge Helm gegenüber Kustomize."},
    {"Zertifikate kommen aus dem Vault.", "", "Zertifikate kommen aus dem Cert-Manager."},
    {"Backups werden vor dem Update gemacht.", "", "Backups werden nach dem Update gemacht."},
    {"Die Daten gehen von Berlin nach Hamburg.", "", "Die Daten gehen von Hamburg nach Berlin."},
    {"Im Code gibt es keine globalen Variablen.", "", "Im Code gibt es globale Variablen."},
    {"Montags läuft der Export der Buchungen.", "", "Freitags läuft der Export der Buchungen."},
    // Half of one part and half of another.
    {"Anna owns billing, Ben owns search.", "", "Ben owns billing."},
    {"Anna owns billing and Ben owns search.", "", "Anna owns search."},
    {"The timeout on staging is 30 seconds, on production 60 seconds.", "",
     "The timeout on production is 30 seconds."},
    {"The timeout on staging is 30 seconds; on production it is 60 seconds.", "Timeouts",
     "The timeout on staging is 60 seconds."},
    {"Die API läuft auf Port 8080 und der Worker auf Port 9090.", "",
     "Der Worker läuft auf Port 8080."},
    // Signs.
    {"Files > 10 MB go to the bucket.", "", "Files < 10 MB go to the bucket."},
    {"An import with a status == 200 has ended.", "", "An import with a status != 200 has ended."},
    {"The parser module is written in C.", "", "The parser module is written in C++."},
    {"The monthly limit of the plan is $500.", "", "The monthly limit of the plan is €500."},
    {"The offset of the clock is -5 hours.", "", "The offset of the clock is 5 hours."},
    {"The share of test traffic is 10%.", "", "The share of test traffic is 10."},
    // Names that are written as words that say little.
    {"Servers of the tenants run in the US.", "", "Servers of the tenants run in the EU."},
    {"Plan A is the one for the rollout.", "", "Plan B is the one for the rollout."},
    {"Mocks are used in the integration tests.", "",
     "Mocks are forbidden in the integration tests."},
    {"Use mocks in the integration tests.", "", "Avoid mocks in the integration tests."},
    {"Nutzt Mocks in den langsamen Tests.", "", "Mocks sind in den langsamen Tests verboten."},
    {"Deploys of the API are blocked.", "", "Deploys of the API were blocked."},
};

TEST(SameFact, IsFoundInOtherWords) {
  for (const Pair& pair : kSame) {
    const Saying saying = Compare(pair);
    EXPECT_TRUE(saying == Saying::kWithin || saying == Saying::kReworded)
        << pair.earlier << " | " << pair.later << ": " << static_cast<int>(saying);
  }
}

TEST(SameFact, IsNoneThatDiffersInANumberANameANegationOrTheOrder) {
  for (const Pair& pair : kOther) {
    EXPECT_EQ(Compare(pair), Saying::kOther) << pair.earlier << " | " << pair.later;
    EXPECT_EQ(CompareSaid(SaidFact(pair.title, pair.later), SaidFact("", pair.earlier)),
              Saying::kOther)
        << pair.later << " | " << pair.earlier;
  }
}

TEST(SameFact, SaysMoreWithAReasonANumberOrManyWords) {
  const SaidFact stated("", "Use pnpm, not npm, for the scripts.");
  EXPECT_EQ(CompareSaid(stated, SaidFact("",
                                         "Use pnpm, not npm, for the scripts, because npm is "
                                         "slow.")),
            Saying::kMore);
  EXPECT_EQ(CompareSaid(stated, SaidFact("", "Use pnpm 9, not npm, for the scripts.")),
            Saying::kMore);
  EXPECT_EQ(CompareSaid(stated, SaidFact("",
                                         "Use pnpm, not npm, for the scripts of packages, "
                                         "images, charts and documents.")),
            Saying::kMore);
  EXPECT_EQ(CompareSaid(SaidFact("", "Use pnpm 9, not npm, for the scripts."), stated),
            Saying::kWithin);
  const SaidFact all("", "Admins may delete rows."), only("", "Only admins may delete rows.");
  EXPECT_EQ(CompareSaid(all, only), Saying::kMore);
  EXPECT_EQ(CompareSaid(only, SaidFact("", "Admins only may delete rows.")), Saying::kWithin);
  const SaidFact two("", "The timeout on staging is 30 seconds, on production 60 seconds.");
  EXPECT_EQ(CompareSaid(two, SaidFact("", "The timeout on production is 60 seconds.")),
            Saying::kWithin);
}

TEST(SameFact, ComparesNoLongTexts) {
  std::string many = "Use pnpm for the scripts";
  for (int i = 0; i < 100; ++i) many += " w" + std::to_string(i) + "x";
  EXPECT_EQ(CompareSaid(SaidFact("", many), SaidFact("", many)), Saying::kOther);
  const std::string wide(SaidFact::kMostBytes, 'x');
  EXPECT_EQ(CompareSaid(SaidFact("", "a b " + wide), SaidFact("", "a b " + wide)), Saying::kOther);
  EXPECT_EQ(CompareSaid(SaidFact("", ""), SaidFact("", "")), Saying::kOther);
  EXPECT_EQ(CompareSaid(SaidFact("", "日本語のメモ"), SaidFact("", "日本語のメモ")),
            Saying::kOther);
}

}  // namespace
}  // namespace memory
