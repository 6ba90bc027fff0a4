type Problem = readonly [pattern: RegExp, inGerman: (...parts: string[]) => string];

/** Why a connection is not taken, and why a provider has not accepted a message. */
const problems: readonly Problem[] = [
  [/^The webhook: (.+)$/, (words) => `Der Webhook: ${inGerman(words)}`],
  [/^The website inbox: (.+)$/, (words) => `Der Posteingang der Website: ${inGerman(words)}`],
  [
    /^WhatsApp \(131047\): .+$/,
    () =>
      'WhatsApp (131047): Die Person hat in den letzten 24\u00a0Stunden nicht geschrieben. Geben Sie in der Vorlage eine genehmigte WhatsApp-Vorlage an.',
  ],
  [/^Mail is turned off on this platform\.$/, () => 'E-Mail ist auf dieser Plattform ausgeschaltet.'],
  [/^Mail: the address is on the suppression list\.$/, () => 'E-Mail: Die Adresse steht auf der Sperrliste.'],
  [
    /^Mail: the address gets too many mails within an hour\.$/,
    () => 'E-Mail: Die Adresse erhält zu viele E-Mails innerhalb einer Stunde.',
  ],
  [/^Twilio: the account is (.+)\.$/, (state) => `Twilio: Der Status des Kontos ist ${state}.`],
  [
    /^(Telegram|Twilio|WhatsApp)( \(\d+\))?: (.+)$/,
    (name, code = '', words = '') => `${name}${code}: ${inGerman(words)}`,
  ],
  [/^status (\d+)$/, (status) => `Status ${status}`],
  [/^no reason given$/, () => 'ohne Angabe von Gründen'],
  [/^The webhook answered (\d+)\.$/, (status) => `Der Webhook hat mit ${status} geantwortet.`],
  [
    /^The webhook answered (\d+); redirects are not followed\.$/,
    (status) => `Der Webhook hat mit ${status} geantwortet; Weiterleitungen wird nicht gefolgt.`,
  ],
  [
    /^(\w+) takes texts of at most (\d+) characters\.$/,
    (name, count) => `${name} nimmt Texte mit höchstens ${count} Zeichen an.`,
  ],
  [/^The host has no address\.$/, () => 'Der Host hat keine Adresse.'],
  [/^The host has an address that is not public\.$/, () => 'Der Host hat eine Adresse, die nicht öffentlich ist.'],
  [/^The name of the host cannot be resolved\.$/, () => 'Der Name des Hosts lässt sich nicht auflösen.'],
  [/^The host did not answer in time\.$/, () => 'Der Host hat nicht rechtzeitig geantwortet.'],
  [/^The host cannot be reached( \(\w+\))?\.$/, (code = '') => `Der Host ist nicht erreichbar${code}.`],
  [/^The host ended the connection( \(\w+\))?\.$/, (code = '') => `Der Host hat die Verbindung beendet${code}.`],
  [/^The mail service cannot be reached right now\.$/, () => 'Der E-Mail-Dienst ist gerade nicht erreichbar.'],
  [
    /^The website inbox cannot be reached right now\.$/,
    () => 'Der Posteingang der Website ist gerade nicht erreichbar.',
  ],
  [
    /^The website inbox is not available on this platform\.$/,
    () => 'Den Posteingang der Website gibt es auf dieser Plattform nicht.',
  ],
  [/^(?:The provider )?(\w+) does not take this recipient\.$/, (name) => `${name} nimmt diesen Empfänger nicht an.`],
  [/^The connection is paused\.$/, () => 'Die Verbindung pausiert.'],
  [
    /^(\w+) was unreachable several times; its circuit breaker is open\.$/,
    (name) => `${name} war mehrmals nicht erreichbar; weitere Versuche pausieren.`,
  ],
  [
    /^Passing it to the provider failed; see the log\.$/,
    () => 'Die Übergabe an den Anbieter ist fehlgeschlagen; der Betreiber findet den Grund im Protokoll.',
  ],
  [/^The channel (\w+) is not connected\.$/, (channel) => `Der Kanal ${channel} ist nicht verbunden.`],
  [/^The content was already deleted\.$/, () => 'Der Inhalt wurde bereits gelöscht.'],
  [
    /^Must be one of: (.+) for the provider (\w+)\.$/,
    (channels, name) => `Muss für den Anbieter ${name} einer dieser Kanäle sein: ${channels}.`,
  ],
  [
    /^Must be the SID of the account: AC and 32 hexadecimal digits\.$/,
    () => 'Muss die SID des Kontos sein: AC und 32 hexadezimale Ziffern.',
  ],
  [
    /^Must be the auth token, or the secret of the API key\.$/,
    () => 'Muss das Auth-Token oder das Geheimnis des API-Schlüssels sein.',
  ],
  [
    /^Must be the SID of the API key: SK and 32 hexadecimal digits\.$/,
    () => 'Muss die SID des API-Schlüssels sein: SK und 32 hexadezimale Ziffern.',
  ],
  [
    /^Must be a number such as \+491701234567, a sender name, or an MG… service SID\.$/,
    () => 'Muss eine Nummer wie +491701234567, ein Absendername oder die SID (MG…) eines Messaging Service sein.',
  ],
  [
    /^Must be whsec_ and 24 to 64 random bytes in base64\.$/,
    () => 'Muss aus whsec_ und 24 bis 64 zufälligen Byte in Base64 bestehen.',
  ],
  [/^Must be an https URL\.$/, () => 'Muss eine Adresse mit https sein.'],
  [/^Must have a public address\.$/, () => 'Muss eine öffentliche Adresse haben.'],
  [/^Must use port 443, or a port from 1024\.$/, () => 'Muss Port 443 oder einen Port ab 1024 verwenden.'],
  [/^Must not contain a user name or password\.$/, () => 'Darf keinen Benutzernamen und kein Passwort enthalten.'],
];

/** The German sentence for a problem of a channel; the same sentence when it is not known, such as a provider's own. */
export function inGerman(message: string): string {
  for (const [pattern, words] of problems) {
    const found = pattern.exec(message);
    if (found) return words(...found.slice(1));
  }
  return message;
}
