const kinds: Record<string, string> = {
  'a string': 'ein Text',
  'a number': 'eine Zahl',
  'a whole number': 'eine ganze Zahl',
  'true or false': 'true oder false',
  'an object': 'ein Objekt',
  'an array': 'eine Liste',
  'a date': 'ein Datum',
};

const units: Record<string, string> = {
  characters: 'Zeichen',
  character: 'Zeichen',
  items: 'Einträge',
  item: 'Eintrag',
  seconds: 'Sekunden',
  bytes: 'Byte',
  addresses: 'Adressen',
  attachments: 'Anhänge',
  entries: 'Einträge',
  fields: 'Felder',
  keys: 'Schlüssel',
  locales: 'Sprachen',
  objects: 'Objekte',
  origins: 'Ursprünge',
  permissions: 'Berechtigungen',
  roles: 'Rollen',
  scopes: 'Berechtigungen',
};

/** A number of units; a group of digits of an English number is marked by a point in German. */
const amountOf = (count: string, unit: string): string =>
  `${count.replaceAll(',', '.')}${unit === '' ? '' : `\u00a0${units[unit] ?? unit}`}`;

const sentences: Record<string, string> = {
  'Required.': 'Füllen Sie dieses Feld aus.',
  'Enter a name.': 'Geben Sie einen Namen ein.',
  'Enter an email address.': 'Geben Sie eine E-Mail-Adresse ein.',
  'Invalid format; see /openapi.json.': 'Das Format ist ungültig.',
  'Must be the id of another customer.': 'Geben Sie die ID eines anderen Kunden ein.',
  'Must not be empty.': 'Darf nicht leer sein.',
  'Must be a domain, such as example.com.': 'Muss eine Domain sein, etwa example.com.',
  'Must have at least one domain.': 'Muss mindestens eine Domain enthalten.',
  'Must be sent once.': 'Darf nur einmal angegeben werden.',
  'Must be a single line.': 'Muss eine einzelne Zeile sein.',
  'Must be in the future.': 'Muss in der Zukunft liegen.',
  'Must be one value.': 'Muss ein einzelner Wert sein.',
  'Must be an https URL.': 'Muss eine Adresse mit https sein.',
  'Must be an http or https URL.': 'Muss eine Adresse mit http oder https sein.',
  'Must be an IP address.': 'Muss eine IP-Adresse sein.',
  'Must be a JSON object.': 'Muss ein JSON-Objekt sein.',
  'Must be a UUID.': 'Muss eine UUID sein.',
  'Must have a public address.': 'Muss eine öffentliche Adresse haben.',
  'Must not contain spaces.': 'Darf keine Leerzeichen enthalten.',
  'Must not contain control characters.': 'Darf keine Steuerzeichen enthalten.',
  'Must not contain control characters or line separators.': 'Darf keine Steuerzeichen oder Zeilentrenner enthalten.',
  'Must not contain control characters except line breaks and tabs.':
    'Darf außer Zeilenumbrüchen und Tabulatoren keine Steuerzeichen enthalten.',
  'Must not contain a web or email address.': 'Darf keine Web- oder E-Mail-Adresse enthalten.',
  'Must not contain a user name or password.': 'Darf keinen Benutzernamen und kein Passwort enthalten.',
  'Must not have a user name or password.': 'Darf keinen Benutzernamen und kein Passwort enthalten.',
  'Must not have a fragment.': 'Darf keinen Teil nach # haben.',
  'Must not contain NUL.': 'Darf kein NUL-Zeichen enthalten.',
  'Must not contain a backslash; separate segments with "/".':
    'Darf keinen umgekehrten Schrägstrich enthalten. Trennen Sie die Teile mit „/“.',
  'Must not begin or end with "/" or contain "//".': 'Darf nicht mit „/“ beginnen oder enden und kein „//“ enthalten.',
  'Must not contain the segments "." and "..".': 'Darf die Teile „.“ und „..“ nicht enthalten.',
  'Must not be the name of this platform.': 'Darf nicht der Name dieser Plattform sein.',
  'Must not be a namespace of the platform.': 'Darf kein Namensraum der Plattform sein.',
  'Must be valid Unicode, without lone surrogates.': 'Muss gültiges Unicode sein.',
  'Must be a colour such as #0b57d0.': 'Muss eine Farbe wie #0b57d0 sein.',
  'The image is damaged or has an unsupported format.':
    'Das Bild ist beschädigt oder hat ein Format, das hier nicht möglich ist.',
  'The image must have at most 50 MiB, and 50 megapixels over all frames.':
    'Das Bild darf höchstens 50 Megapixel haben, bei einer Animation zusammen.',
  'Must be a language tag such as de or de-AT.': 'Muss ein Sprachkürzel wie de oder de-AT sein.',
  'Must be a language tag such as de or en-GB.': 'Muss ein Sprachkürzel wie de oder en-GB sein.',
  'Must be a media type such as image/png.': 'Muss ein Medientyp wie image/png sein.',
  'Must be a type such as image/png or image/*.': 'Muss ein Typ wie image/png oder image/* sein.',
  'Must be a two-letter country code of ISO 3166, such as DE.':
    'Muss ein Ländercode mit zwei Buchstaben nach ISO 3166 sein, zum Beispiel DE.',
  'Must be a valid email address, such as ada@example.com.':
    'Muss eine gültige E-Mail-Adresse sein, zum Beispiel ada@example.com.',
  'Must be an address that can receive mail.': 'Muss eine Adresse sein, die E-Mails empfangen kann.',
  'Must be a phone number with its country code and without an extension, such as +49 30 1234567.':
    'Muss eine Telefonnummer mit Ländervorwahl und ohne Durchwahl sein, zum Beispiel +49 30 1234567.',
  'Must be 1 to 63 lower-case letters, digits and dashes, without a dash at the beginning or end.':
    'Muss aus 1 bis 63 Kleinbuchstaben, Ziffern und Bindestrichen bestehen, ohne Bindestrich am Anfang oder Ende.',
  'Must be 3 to 63 lower-case letters, digits and dashes, with a letter or digit at both ends.':
    'Muss aus 3 bis 63 Kleinbuchstaben, Ziffern und Bindestrichen bestehen, mit einem Buchstaben oder einer Ziffer an beiden Enden.',
  'Must be lower-case letters, digits, dashes and underscores.':
    'Muss aus Kleinbuchstaben, Ziffern, Binde- und Unterstrichen bestehen.',
  'Must consist of lower-case letters, digits and dashes.':
    'Muss aus Kleinbuchstaben, Ziffern und Bindestrichen bestehen.',
  'Must be 1 to 50 letters, digits and underscores, beginning with a letter.':
    'Muss aus 1 bis 50 Buchstaben, Ziffern und Unterstrichen bestehen und mit einem Buchstaben beginnen.',
  'Must be 2 to 6 dotted parts, such as order.created.':
    'Muss aus 2 bis 6 durch Punkte getrennten Teilen bestehen, zum Beispiel order.created.',
  'Must be 2 to 4 parts of lower-case letters, digits and dashes, such as shop.orders.read.':
    'Muss aus 2 bis 4 Teilen mit Kleinbuchstaben, Ziffern und Bindestrichen bestehen, zum Beispiel shop.orders.read.',
  'Must be an absolute address, such as https://app.example.com/callback.':
    'Muss eine vollständige Adresse sein, zum Beispiel https://app.example.com/callback.',
  'Must be a complete address: wildcards are not supported.':
    'Muss eine vollständige Adresse sein. Platzhalter werden nicht unterstützt.',
  'Must be https; http is only for localhost, 127.0.0.1 and [::1].':
    'Muss https sein. http ist nur für localhost, 127.0.0.1 und [::1] erlaubt.',
  'Must be an origin such as https://app.example.com, or *.':
    'Muss ein Ursprung wie https://app.example.com sein, oder *.',
  'Must be an origin such as https://shop.example.com, or https://*.example.com for all subdomains.':
    'Muss ein Ursprung wie https://shop.example.com sein, oder https://*.example.com für alle Subdomains.',
  'Must be an http or https address of an image, without user name and password.':
    'Muss die http- oder https-Adresse eines Bildes sein, ohne Benutzernamen und Passwort.',
  'Must be UTC with milliseconds, such as 2030-01-31T12:00:00.000Z.':
    'Muss eine Zeit in UTC mit Millisekunden sein, zum Beispiel 2030-01-31T12:00:00.000Z.',
  'Must be an ISO 8601 timestamp, such as 2026-01-31T12:00:00.000Z.':
    'Muss ein Zeitpunkt nach ISO 8601 sein, zum Beispiel 2026-01-31T12:00:00.000Z.',
  'Must not be before 1970.': 'Darf nicht vor 1970 liegen.',
  'Must be at most 5 minutes in the future.': 'Darf höchstens 5 Minuten in der Zukunft liegen.',
  'Must be a version of this schema, such as 1.0.': 'Muss eine Version dieses Schemas sein, zum Beispiel 1.0.',
  'Must equal the x-tenant-id header.': 'Muss mit dem Header x-tenant-id übereinstimmen.',
  'An event with other content has this eventId.': 'Ein Ereignis mit anderem Inhalt hat diese eventId.',
  'Not a field.': 'Dieses Feld gibt es nicht.',
  'Must be an instant such as 2030-01-31T12:00:00Z.': 'Muss ein Zeitpunkt wie 2030-01-31T12:00:00Z sein.',
  'Must be a member of the organization.': 'Muss ein Mitglied der Organisation sein.',
  'Must be the slug of the organization.': 'Muss der Kurzname der Organisation sein.',
  'Must have at least one permission.': 'Muss mindestens eine Berechtigung haben.',
  'Must have at least one scope.': 'Muss mindestens eine Berechtigung haben.',
  'Must have at least one grant type.': 'Muss mindestens einen Grant-Typ haben.',
  'Required for authorization_code: at least one address.':
    'Für authorization_code ist mindestens eine Adresse erforderlich.',
  'Must include authorization_code, which refresh_token requires.':
    'Muss authorization_code enthalten, das refresh_token voraussetzt.',
  'A client without a secret cannot use client_credentials.':
    'Ein Client ohne Geheimnis kann client_credentials nicht nutzen.',
  'Must be a permission key such as context.story.read, or one of: svc:read, svc:write, svc:admin.':
    'Muss eine Berechtigung wie context.story.read sein, oder svc:read, svc:write oder svc:admin.',
  'Must be openid, profile, email, offline_access, or a permission key such as context.story.read.':
    'Muss openid, profile, email, offline_access oder eine Berechtigung wie context.story.read sein.',
  'This word is reserved; choose another slug.': 'Dieses Wort ist reserviert. Wählen Sie einen anderen Kurznamen.',
  'This is not your current password.': 'Das ist nicht Ihr aktuelles Passwort.',
  'Choose another password than the current one.': 'Wählen Sie ein anderes Passwort als das aktuelle.',
  'Choose a password that is not your email address.': 'Wählen Sie ein Passwort, das nicht Ihre E-Mail-Adresse ist.',
  'This password is too common; choose another.': 'Dieses Passwort ist zu verbreitet. Wählen Sie ein anderes.',
  'Choose characters that can be typed, without line breaks or control characters.':
    'Wählen Sie Zeichen, die sich eingeben lassen, ohne Zeilenumbrüche und Steuerzeichen.',
  'Another saved reply has this name.': 'Eine andere gespeicherte Antwort hat diesen Namen.',
  'Another account uses this address for its login.': 'Mit dieser Adresse meldet sich ein anderes Konto an.',
  'There is no such permission. Register it first.': 'Diese Berechtigung gibt es nicht. Registrieren Sie sie zuerst.',
  'There is no such role.': 'Diese Rolle gibt es nicht.',
  'A system role is a membership, which applications do not have.':
    'Eine Rolle der Plattform ist eine Mitgliedschaft, die Anwendungen nicht haben können.',
  'A membership does not expire; leave this out.': 'Eine Mitgliedschaft läuft nicht ab. Lassen Sie dieses Feld leer.',
  'One of html, mjml and text is required.': 'Geben Sie HTML, MJML oder Text an.',
  'Required by the template.': 'Die Vorlage benötigt diese Angabe.',
  'Must be an http or https address: the template links to it.':
    'Muss eine Adresse mit http oder https sein: Die Vorlage verweist darauf.',
  'Must be a bot token of BotFather.': 'Muss ein Bot-Token von BotFather sein.',
  'Must be an access token.': 'Muss ein Zugriffstoken sein.',
  'Must be the numeric id of the phone number.': 'Muss die numerische ID der Telefonnummer sein.',
  'Must have at least one type, or be null for all.': 'Geben Sie mindestens einen Typ an.',
  'Must be a number of bytes of at least 1, or null.': 'Muss größer als null sein.',
  'Must be a Cache-Control header such as public, max-age=3600.':
    'Muss ein Wert für Cache-Control sein, zum Beispiel public, max-age=3600.',
  'The operator of the platform does not allow this address; leave it out to use the platform’s address.':
    'Der Betreiber der Plattform erlaubt diese Adresse nicht. Lassen Sie das Feld leer, um die Adresse der Plattform zu verwenden.',
  'The template does not exist.': 'Diese Vorlage gibt es nicht.',
  'The template has no published version.': 'Die Vorlage hat keine veröffentlichte Version.',
  'No customer has this id.': 'Kein Kunde hat diese ID.',
  'Must be a customer id or an address.': 'Muss eine Kunden-ID oder eine Adresse sein.',
  'Must use port 443, or a port from 1024.': 'Muss Port 443 oder einen Port ab 1024 nutzen.',
};

export type Sentence = readonly [RegExp, (...parts: string[]) => string];

const patterns: readonly Sentence[] = [
  [/^Required \(.+\)\.$/, () => 'Füllen Sie dieses Feld aus.'],
  [/^Must be one of: (.+)\.$/, (values) => `Muss einer dieser Werte sein: ${values}.`],
  [/^Must be at most ([\d,]+)(?: (\w+))?\.$/, (count, unit = '') => `Höchstens ${amountOf(count, unit)}.`],
  [/^Must be at least ([\d,]+)(?: (\w+))?\.$/, (count, unit = '') => `Mindestens ${amountOf(count, unit)}.`],
  [/^Must have at most ([\d,]+) (\w+)\.$/, (count, unit) => `Höchstens ${amountOf(count, unit)}.`],
  [/^Must have at least ([\d,]+) (\w+)\.$/, (count, unit) => `Mindestens ${amountOf(count, unit)}.`],
  [
    /^Must have at most (\d+) keys, including nested objects\.$/,
    (count) => `Höchstens ${amountOf(count, 'keys')}, verschachtelte Objekte eingeschlossen.`,
  ],
  [/^Not a field; did you mean (.+)\?$/, (name) => `Dieses Feld gibt es nicht. Meinten Sie ${name}?`],
  [/^Choose at least (\d+) characters\.$/, (count) => `Wählen Sie mindestens ${count} Zeichen.`],
  [/^Choose at most (\d+) characters\.$/, (count) => `Wählen Sie höchstens ${count} Zeichen.`],
  [/^Must be a whole number from (\d+) to (\d+)\.$/, (from, to) => `Muss eine ganze Zahl von ${from} bis ${to} sein.`],
  [
    /^Must be a calendar date as YYYY-MM-DD, from (\d{4}-\d\d-\d\d) to today\.$/,
    (earliest) => `Muss ein Datum wie 1990-12-31 sein, frühestens ${earliest} und nicht in der Zukunft.`,
  ],
  [/^Must be at most (\d+) bytes in UTF-8\.$/, (count) => `Höchstens ${amountOf(count, 'bytes')} in UTF-8.`],
  [/^Must not be true: the bucket (\S+) is private\.$/, (bucket) => `Nicht möglich: Der Bucket ${bucket} ist privat.`],
  [
    /^No provider that the channel (\w+) is connected to takes this recipient\.$/,
    (channel) => `Kein verbundener Anbieter des Kanals ${channel} nimmt diesen Empfänger an.`,
  ],
  [
    /^The customer has no identifier that is an address on the channel (\w+)\.$/,
    (channel) => `Der Kunde hat keine Adresse für den Kanal ${channel}.`,
  ],
  [
    /^The channel (\w+) is not connected\.(?: Connect it first\.)?$/,
    (channel) => `Der Kanal ${channel} ist nicht verbunden.`,
  ],
  [
    /^Must be (a string|a number|a whole number|true or false|an object|an array|a date)\.$/,
    (kind) => `Muss ${kinds[kind]} sein.`,
  ],
];

/** The German sentence of a field's message; null for a message that is not known here. */
export function detailInGerman(message: string): string | null {
  return Object.hasOwn(sentences, message) ? (sentences[message] ?? null) : inGerman(patterns, message);
}

/** The German sentence of the first pattern that a message has. */
export function inGerman(patterns: readonly Sentence[], message: string): string | null {
  for (const [pattern, sentenceOf] of patterns) {
    const found = pattern.exec(message);
    if (found) return sentenceOf(...found.slice(1));
  }
  return null;
}
