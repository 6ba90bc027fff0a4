type Problem = readonly [pattern: RegExp, inGerman: (...parts: string[]) => string];

/** The problems of a template, as the platform and the libraries for Liquid and MJML write them. */
const problems: readonly Problem[] = [
  [/^(.+), line:(\d+), col:(\d+)$/, (words, line, column) => `${inGerman(words)}, Zeile ${line}, Spalte ${column}`],
  [/^Line (\d+), ([\w-]+): (.+)$/, (line, tag, words) => `Zeile ${line}, ${tag}: ${inGerman(words)}`],
  [/^Without the optional variables: (.+)$/, (words) => `Ohne die optionalen Variablen: ${inGerman(words)}`],
  [
    /^The variable (.+) is used but not declared\.$/,
    (name) => `Die Variable ${name} wird verwendet, ist aber nicht angelegt.`,
  ],
  [/^Variable names must be unique\.$/, () => 'Jeder Name einer Variable darf nur einmal vorkommen.'],
  [/^undefined variable: (.+)$/, (name) => `Die Variable ${name} ist nicht definiert`],
  [/^undefined filter: (.+)$/, (name) => `Den Filter ${name} gibt es nicht`],
  [/^output "(.+)" not closed$/, (output) => `Die Ausgabe „${output}“ ist nicht geschlossen`],
  [/^tag "?(.+?)"? not closed$/, (tag) => `Das Tag „${tag}“ ist nicht geschlossen`],
  [/^tag "(.+)" not found$/, (tag) => `Das Tag „${tag}“ ist hier nicht bekannt`],
  [/^illegal tag: (.+)$/, (tag) => `Das Tag ist ungültig: ${tag}`],
  [/^invalid value expression: (.+)$/, (expression) => `Der Ausdruck ist ungültig: ${expression}`],
  [/^invalid range syntax$/, () => 'Der Bereich ist ungültig'],
  [/^expected "(.+)"$/, (sign) => `„${sign}“ fehlt`],
  [/^expected variable name$/, () => 'Der Name einer Variable fehlt'],
  [/^(\S+) not closed$/, (sign) => `„${sign}“ ist nicht geschlossen`],
  [/^Division by zero\.$/, () => 'Division durch null.'],
  [/^A number must have at most (\d+) digits\.$/, (digits) => `Eine Zahl darf höchstens ${digits} Ziffern haben.`],
  [/^Output exceeds (\d+) characters\.$/, (count) => `Die Ausgabe ist länger als ${count} Zeichen.`],
  [/^Nested too deeply\.$/, () => 'Die Verschachtelung ist zu tief.'],
  [/^The template takes too long\.$/, () => 'Die Vorlage braucht zu lange.'],
  [/^The template takes too much memory\.$/, () => 'Die Vorlage braucht zu viel Speicher.'],
  [
    /^The filter (\w+) reads or writes more than (\d+) characters or (\d+) items\.$/,
    (name, characters, items) =>
      `Der Filter ${name} liest oder schreibt mehr als ${characters} Zeichen oder ${items} Einträge.`,
  ],
  [
    /^The format of the filter date is too long or pads a field too wide\.$/,
    () => 'Das Format des Filters date ist zu lang oder füllt ein Feld zu weit auf.',
  ],
  [
    /^A link or image address must be http, https, mailto, tel or sms\.$/,
    () => 'Die Adresse eines Links oder Bildes muss mit http, https, mailto, tel oder sms beginnen.',
  ],
  [
    /^The attribute (\S+) runs code and is not allowed\.$/,
    (name) => `Das Attribut ${name} führt Code aus und ist nicht erlaubt.`,
  ],
  [/^(<.+>) is not allowed\.$/, (tag) => `${tag} ist nicht erlaubt.`],
  [
    /^Elements are nested deeper than (\d+) levels\.$/,
    (levels) => `Elemente sind tiefer als ${levels} Ebenen verschachtelt.`,
  ],
  [
    /^(.+) is inside a tag: put it into a quoted attribute value\.$/s,
    (text) => `${text} steht in einem Tag: Setzen Sie es in den Wert eines Attributs in Anführungszeichen.`,
  ],
  [
    /^(.+) is inside (<\w+>): variables are allowed only in text and attributes\.$/s,
    (text, tag) => `${text} steht in ${tag}: Variablen sind nur in Text und Attributen erlaubt.`,
  ],
  [
    /^Not valid MJML: <mjml> with <mj-body> is required, and all tags must be closed\.$/,
    () => 'Kein gültiges MJML: <mjml> mit <mj-body> ist erforderlich, und alle Tags müssen geschlossen sein.',
  ],
  [/^Element (\S+) doesn't exist or is not registered$/, (tag) => `Das Element ${tag} gibt es nicht`],
  [
    /^(\S+) cannot be used inside (\S+), only inside: (.+)$/,
    (tag, parent, parents) => `${tag} ist in ${parent} nicht erlaubt, nur in: ${parents}`,
  ],
  [/^Attributes? (.+) (?:is|are) illegal$/, (names) => `Nicht erlaubtes Attribut: ${names}`],
  [
    /^Attribute (\S+) has invalid value: (.*?) for type \w+.*$/s,
    (name, value) => `Das Attribut ${name} hat einen ungültigen Wert: ${value}`,
  ],
  [
    /^A template can have at most (\d+) locales, not (\d+)\. Remove locales by sending null\.$/,
    (most) => `Eine Vorlage kann höchstens ${most} Sprachen haben. Entfernen Sie zuerst eine.`,
  ],
  [/^Must not be combined with html\.$/, () => 'Darf nicht zusammen mit HTML angegeben werden.'],
  [
    /^Must be the name of an approved template, such as order_shipped\.$/,
    () => 'Muss der Name einer genehmigten Vorlage sein, etwa order_shipped.',
  ],
  [
    /^Must be a WhatsApp language, such as de or en_US\.$/,
    () => 'Muss eine Sprache von WhatsApp sein, etwa de oder en_US.',
  ],
];

/** The German sentence for a problem of a template; the same sentence when it is not known. */
export function inGerman(message: string): string {
  for (const [pattern, words] of problems) {
    const found = pattern.exec(message);
    if (found) return words(...found.slice(1));
  }
  return message;
}
