// German. The verb stands second, so that subjects are gaps more often than in English.
#include "sidecar/rules/stated_languages.h"

namespace sidecar {
namespace {

constexpr StatedKind kDecidesDe = StatedKind::kDecision, kRuleDe = StatedKind::kConvention,
                     kLikesDe = StatedKind::kPreference, kIsDe = StatedKind::kFact;

constexpr StatedForm kGermanForms[] = {
    // Decisions.
    {"wir|ich haben|habe * "
     "entschieden|beschlossen|vereinbart|festgelegt|geeinigt|abgelehnt|verworfen *",
     kDecidesDe, kMayTrouble},
    {"entscheidung|entschieden|beschlossen|vereinbart|abgemacht :|- +", kDecidesDe, kMayTrouble},
    {"das|unser|der team|kunde|chef * hat|haben * entschieden|beschlossen|festgelegt *", kDecidesDe,
     kMayTrouble},
    {"die|der|das kundin|kunde|team|rechtsabteilung|sicherheit|chefin|chef "
     "will|verlangt|möchte|besteht|fordert +",
     kDecidesDe, kMayTrouble},
    {"es wurde|ist * entschieden|beschlossen|vereinbart|festgelegt *", kDecidesDe, kMayTrouble},
    {"lass|lasst uns * bleiben|nehmen|festlegen|entscheiden *", kDecidesDe, kMayTrouble},
    {"wir bleiben|setzen bei|auf +", kDecidesDe, kNoPointer},
    {"wir sind|wechseln|ziehen * zu|auf|von * umgestiegen|gewechselt|umgezogen *", kDecidesDe},

    // Conventions.
    {"wir #nutzen +", kRuleDe, kNoPointer},
    {"wir dürfen|müssen +", kRuleDe, kMayTrouble | kValue},
    {"wir sollten nie|niemals|immer|nicht +", kRuleDe, kMayTrouble},
    {"bei uns +", kRuleDe, kMayTrouble},
    {"hier|dafür|dort #nutzen wir +", kRuleDe, kMayTrouble},
    {"+ #nutzen wir +", kRuleDe, kMayTrouble},
    {"~bei uns *", kRuleDe, kValue},
    {"wir haben +", kIsDe, kValue},
    {"wir + jeden|jede|jedes|nie|niemals|immer|nur|kein|keine|keinen +", kRuleDe},
    {"+ brauchen|benötigen|erfordern|benötigt|erfordert +", kIsDe, kValue | kNoPointer},
    {"#nutzen|schreib|antworte|schreibe + überall|immer|stets +", kRuleDe},
    {"immer|nie|niemals|grundsätzlich|generell|stets +", kRuleDe, kMayTrouble},
    {"bitte immer|nie|niemals|nur|keine|kein|keinen +", kRuleDe, kMayTrouble},
    {"du sollst|darfst|musst|sollest * nie|niemals|immer|nicht|nur|kein* +", kRuleDe, kMayTrouble},
    {"+ immer|nie|niemals|stets|grundsätzlich +", kRuleDe, kValue},
    {"+ muss|müssen|darf|dürfen +", kRuleDe, kNoPointer},
    {"+ soll|sollen|sollten|sollte immer|nie|niemals|nur|stets +", kRuleDe,
     kMayTrouble | kNoPointer},
    {"+ ist|sind "
     "verboten|verpflichtend|pflicht|eingefroren|tabu|veraltet|reserviert|untersagt|gesperrt *",
     kRuleDe},
    {"nimm|nutze|benutze|verwende|schreibe|schreib|nenne|nenn|benutz|verwend|nutz|rufe|ruf|setze + "
     "statt|anstatt|anstelle|nicht|sondern +",
     kRuleDe, kNoPointer},
    {"+ statt|anstatt|anstelle +", kRuleDe, kCorrects},
    {"+ , nicht|sondern +", kRuleDe, kCorrects},
    {"nimm|nutze|benutze|verwende|schreib|schreibe|nenne|setze +", kRuleDe,
     kCorrects | kNoPointer | kValue},
    {"nächstes|beim mal|nächsten ?mal ?bitte +", kRuleDe, kMayTrouble},
    {"jede|jeder|jedes|alle|neue +  "
     "#sein|#nutzen|braucht|brauchen|bekommt|bekommen|hat|haben|muss|müssen|beginnt|beginnen|endet|"
     "enden +",
     kRuleDe},
    {"unsere|die regel|konvention|vorgabe|richtlinie ist|lautet|sagt +", kRuleDe, kMayTrouble},

    // Preferences.
    {"ich bevorzuge|hasse|mag +", kLikesDe, kNoPointer},
    {"ich * lieber|ungern|am +", kLikesDe, kNoPointer},
    {"ich will|möchte|brauche * immer|nie|niemals|keine|nur +", kLikesDe, kMayTrouble},
    {"ich nutze|benutze|verwende|arbeite|schreibe|spreche|wohne|lebe +", kLikesDe, kNoPointer},
    {"ich bin farbenblind|linkshänder|zuständig|verantwortlich *", kLikesDe, kMayTrouble},
    {"nenn|nenne mich +", kLikesDe},
    {"antworte|erkläre|schreib * auf|kurz|ohne|immer +", kLikesDe, kCorrects},
    {"mir ist|sind|gefällt|gefallen + lieber|wichtig|besser *", kLikesDe},
    {"mein|meine + ist|sind|heißt|läuft +", kLikesDe, kValue},

    // What is so, and why.
    {"unser|unsere|unserer|unserem + "
     "#sein|#umgebung|hat|haben|braucht|nutzt|nutzen|verwendet|verwenden|benutzt|benutzen|erwartet|"
     "erwarten|unterstützt|unterstützen|heißt|gehört|braucht|brauchen +",
     kIsDe, kNoPointer},
    {"+ #umgebung +", kIsDe, kValue | kNoPointer},
    {"+ #umgebung +", kIsDe, kReason | kNoPointer},
    {"+ #umgebung nicht|nur|unter|hinter|auf|in|im|aus|bei|beim +", kIsDe, kValue | kNoPointer},
    {"+ gehört|gehören|untersteht +", kIsDe, kNoPointer},
    {"+ höchstens|mindestens|maximal +", kIsDe, kNoPointer},
    {"+ hat|haben kein|keine|keinen|nur +", kIsDe, kNoPointer},
    {"+ macht|machen|übernimmt|übernehmen|erledigt|erledigen die|der|das|unser* +", kIsDe,
     kNoPointer},
    {"+ "
     "gehört|gehören|umfasst|bedeutet|heißt|pflegt|betreut|verantwortet|besitzt|verwaltet|"
     "verwalten +",
     kIsDe, kNoPointer},
    {"+ ist|sind +", kIsDe, kValue | kNoPointer},
    {"+ ist|sind|wird|werden + weil|da|denn +", kIsDe, kMayTrouble},
    {"+ wird|werden + "
     "gehostet|gespeichert|gebaut|betrieben|gepflegt|erzeugt|verwaltet|deployt|ausgeliefert|"
     "signiert|abgelegt|abgerechnet *",
     kIsDe},
    {"+ wird|werden + "
     "abgeschaltet|abgelöst|eingestellt|ersetzt|gelöscht|zurückgesetzt|gesichert|erneuert|geleert "
     "*",
     kIsDe, kValue},
    {"+ nutzt|benutzt|verwendet|braucht|erwartet|unterstützt|verlangt|akzeptiert|spricht +", kIsDe,
     kNoPointer},
    {"das liegt daran +", kIsDe, kMayTrouble},
    {"das ist|kommt|passiert * weil|da +", kIsDe, kMayTrouble},
    {"weil +", kIsDe, kMayTrouble},
    {"die|der ?eigentliche ursache|grund ist|sind|war|waren|dafür +", kIsDe, kMayTrouble},
    {"es gibt kein|keine|keinen|nur|zwei|drei +", kIsDe, kNoPointer},
    {"wir|unser*|der|die|das +", kIsDe, kCorrects | kValue},
};

constexpr StatedList kGermanLists[] = {
    {"nutzen",
     "nutzen benutzen verwenden deployen zählen speichern nennen schreiben hosten veröffentlichen "
     "unterstützen bauen testen bevorzugen vermeiden melden rechnen führen setzen pinnen taggen "
     "mergen prüfen protokollieren messen behandeln signieren versionieren dokumentieren rotieren "
     "verschlüsseln arbeiten halten nehmen geben lesen sprechen beginnen starten runden liefern "
     "committen pushen legen erzeugen schicken importieren exportieren cachen"},
    {"sein", "ist sind"},
    {"umgebung",
     "läuft laufen liegt liegen lauscht lauschen hört hören steht stehen sitzt kommt kommen geht "
     "gehen beginnt beginnen endet enden findet finden startet starten wohnt lebt verfällt zeigt "
     "zeigen gilt gelten bleibt bleiben sendet schreibt schreiben liest antwortet lehnt rotiert "
     "wechselt wechseln trennt verwirft sperrt erwartet löscht repliziert hängt hängen befindet "
     "befinden schließt öffnet deployt"},
};

}  // namespace

StatedLanguage GermanStated() {
  StatedLanguage german;
  german.forms = kGermanForms;
  german.lists = kGermanLists;
  german.openings =
      "nein nö nee falsch doch eigentlich also und aber bitte hey ok okay übrigens zur_info "
      "nur_zur_info achtung danke "
      "ja gut stimmt genau sorry ach oh halt moment wichtig hinweis noch etwas , : - – — ! nicht";
  german.denials = "nein nö nee falsch doch eigentlich";
  german.questions =
      "was wer wie warum wieso weshalb wo wann welche welcher welches wozu woher kannst könntest "
      "würdest kann können soll sollen sollte darf ist sind hat hast haben war gibt zeig zeige "
      "finde "
      "such suche schreib schreibe erstelle erstell lösch lösche füge mach mache behebe ändere "
      "prüfe "
      "teste lies öffne installiere starte erkläre erklär hilf lege leg baue entferne benenne "
      "aktualisiere refaktoriere repariere untersuche schau sieh implementiere ergänze übersetze "
      "fasse committe erhöhe entferne verschiebe teile setze führe lass "
      "lade zeichne trainiere vergleiche verbessere vereinfache formatiere sortiere richte passe "
      "deploye "
      "pushe merge stoppe beende warte mach'";
  german.supposes = "wenn falls angenommen vielleicht ob";
  german.pointers =
      "es das dies diese dieser dieses da dort ihn sie er wir ich etwas alles du dein deine";
  german.troubles =
      "fehler kaputt schlägt fehl abbricht bricht absturz stürzt langsam leer falsch rot hängt "
      "problem bug komisch seltsam undefined null nichts fehlt fehlen warnung exception rote roten "
      "gestern seit glaube denke vermute wahrscheinlich später morgen fertig fehlgeschlagen "
      "abgestürzt gescheitert zweite zweiten dritte variante grün 404 403 401 500 "
      "502 503";
  german.locals =
      "abdeckung auslastung datei dateien code funktion test zeile knopf button überschrift summe "
      "ergebnis ausgabe "
      "seite bild diff "
      "branch abfrage liste text titel symbol fehler wert skript spalte tabelle zelle formular "
      "feld build";
  german.marks =
      "der die das den dem ist sind wir ich nicht und ein eine einen mit für auf bei im in nach "
      "von zu nie "
      "immer nur unser unsere bitte kein keine dass weil es am um aus statt haben hat nein";
  german.values =
      "montags dienstags mittwochs donnerstags freitags samstags sonntags montag dienstag mittwoch "
      "donnerstag freitag freitags samstag sonntag jede jeden jeder jedes januar februar märz "
      "april mai juni juli august september "
      "oktober november dezember uhr täglich wöchentlich monatlich stündlich nachts nur immer nie "
      "niemals mitternacht mittags produktion staging";
  german.capitals = false;
  german.reasons = "weil da denn deshalb deswegen daher sonst";
  return german;
}

}  // namespace sidecar
