/** The summaries in German of the cases in story-cases.ts, without the opening, which the titles have. */
export const germanSummaries: Record<string, string> = {
  'one order':
    'An diesem Tag ging 1 Bestellung (A-1) über 50,00 EUR ein. Stand 1. März 2026: Die Bestellung ist offen.',
  'one order of unknown amount':
    'An diesem Tag ging die Bestellung A-1 (Betrag unbekannt) ein. Stand 1. März 2026: Die Bestellung ist offen.',
  'one order of unknown amount with its items and outcome':
    'An diesem Tag ging die Bestellung Order-7: Saddle (Betrag unbekannt) ein, die zugestellt wurde. Keine offenen Bestellungen oder Tickets.',
  'a shipped order':
    'An diesem Tag ging 1 Bestellung (A-1) über 50,00 EUR ein. Stand 2. März 2026: Die Bestellung ist unterwegs.',
  'a status change':
    'An diesem Tag ging 1 Bestellung (A-1) über 50,00 EUR ein. Stand 2. März 2026: Die Bestellung ist unterwegs.',
  'a delivered order':
    'An diesem Tag ging 1 Bestellung (A-1) über 50,00 EUR ein, die zugestellt wurde. Keine offenen Bestellungen oder Tickets.',
  'steps told in the wrong order':
    'An diesem Tag ging 1 Bestellung (A-1) über 50,00 EUR ein, die zugestellt wurde. Keine offenen Bestellungen oder Tickets.',
  'an order first heard of when paid':
    'An diesem Tag ging 1 Bestellung (A-1) über 50,00 EUR ein. Stand 1. März 2026: Die Bestellung ist bezahlt und noch offen.',
  'three orders':
    'Zwischen dem 1. und dem 3. März 2026 gingen 3 Bestellungen über insgesamt 100,00 EUR und 50,00 USD ein; die neueste ist A-3. Stand 3. März 2026: 3 Bestellungen sind offen (A-3, A-2 und A-1).',
  'an order told twice':
    'An diesem Tag ging 1 Bestellung (A-1) über 50,00 EUR ein. Stand 2. März 2026: Die Bestellung ist offen.',
  'an edited order':
    'An diesem Tag ging 1 Bestellung (A-1) über 70,00 EUR ein. Stand 2. März 2026: Die Bestellung ist offen.',
  'a cancelled order':
    'An diesem Tag ging 1 Bestellung (A-1) über 50,00 EUR ein, die storniert wurde. Keine offenen Bestellungen oder Tickets.',
  'a refund after a cancellation, counted once':
    'Zwischen dem 1. und dem 2. März 2026 gingen 2 Bestellungen über insgesamt 75,00 EUR ein; davon wurde 1 storniert; 1 wurde erstattet; die neueste ist B-1. Nach Erstattungen über 50,00 EUR belaufen sich die Bestellungen auf 25,00 EUR. Stand 4. März 2026: Die Bestellung B-1 (25,00 EUR) ist seit dem 2. März 2026 offen.',
  'a partial refund':
    'An diesem Tag ging 1 Bestellung (A-1) über 50,00 EUR ein, die zugestellt wurde. Nach Erstattungen über 20,00 EUR beläuft sich die Bestellung auf 30,00 EUR. Keine offenen Bestellungen oder Tickets.',
  'repeated refunds never exceed the order':
    'Zwischen dem 1. und dem 2. März 2026 gingen 2 Bestellungen über insgesamt 75,00 EUR ein; 1 wurde erstattet; die neueste ist B-1. Nach Erstattungen über 50,00 EUR belaufen sich die Bestellungen auf 25,00 EUR. Stand 4. März 2026: Die Bestellung B-1 (25,00 EUR) ist seit dem 2. März 2026 offen.',
  'partial refunds of all of an order':
    'An diesem Tag ging 1 Bestellung (A-1) über 10,00 EUR ein, die erstattet wurde. Keine offenen Bestellungen oder Tickets.',
  'partial refunds of more than an order':
    'An diesem Tag ging 1 Bestellung (A-1) über 50,00 EUR ein, die zugestellt und erstattet wurde. Keine offenen Bestellungen oder Tickets.',
  'a refund that is larger than its order':
    'An diesem Tag ging 1 Bestellung (A-1) über 50,00 EUR ein, die erstattet wurde. Die Daten zeigen Erstattungen über 60,00 EUR. Keine offenen Bestellungen oder Tickets.',
  'running totals of an order’s refunds':
    'An diesem Tag ging 1 Bestellung (A-1) über 50,00 EUR ein. Nach Erstattungen über 25,00 EUR beläuft sich die Bestellung auf 25,00 EUR. Stand 3. März 2026: Die Bestellung ist offen.',
  'one refund of an order, told twice by its id':
    'An diesem Tag ging 1 Bestellung (A-1) über 50,00 EUR ein. Nach Erstattungen über 10,00 EUR beläuft sich die Bestellung auf 40,00 EUR. Stand 3. März 2026: Die Bestellung ist offen.',
  'a partial refund and a cancellation':
    'An diesem Tag ging 1 Bestellung (A-1) über 50,00 EUR ein, die storniert wurde. Nach Stornierungen über 30,00 EUR und Erstattungen über 20,00 EUR beläuft sich die Bestellung auf 0,00 EUR. Keine offenen Bestellungen oder Tickets.',
  'refunds of an order that only its payment reports':
    'An diesem Tag ging 1 Bestellung (A-1) über 50,00 EUR ein, die erstattet wurde. Keine offenen Bestellungen oder Tickets.',
  'refunds of two orders, one told by its order and one by its payment':
    'Zwischen dem 1. und dem 3. März 2026 gingen 2 Bestellungen über insgesamt 75,00 EUR ein; die neueste ist B-1. Die Bestellungen wurden mit 2 Zahlungen vollständig bezahlt, die letzte am 4. März 2026; erstattet wurden 15,00 EUR, es bleiben 60,00 EUR. Stand 6. März 2026: 2 Bestellungen sind offen (B-1 und A-1).',
  'an order that was cancelled after its delivery':
    'An diesem Tag ging 1 Bestellung (A-1) über 50,00 EUR ein, die zugestellt und storniert wurde (Stornierungsgrund: „late“). Keine offenen Bestellungen oder Tickets.',
  'one of two delivered orders cancelled':
    'Zwischen dem 1. und dem 2. März 2026 gingen 2 Bestellungen über insgesamt 75,00 EUR ein; beide wurden zugestellt; 1 wurde storniert; die neueste ist B-1. Nach Stornierungen über 50,00 EUR belaufen sich die Bestellungen auf 25,00 EUR. Keine offenen Bestellungen oder Tickets.',
  'orders whose ids are placeholders':
    'Zwischen dem 1. und dem 2. März 2026 gingen 2 Bestellungen über insgesamt 75,00 EUR ein. Keine offenen Bestellungen oder Tickets.',
  'every order delivered':
    'Zwischen dem 1. und dem 2. März 2026 gingen 2 Bestellungen über insgesamt 75,00 EUR ein; beide wurden zugestellt; die neueste ist B-1. Keine offenen Bestellungen oder Tickets.',
  'orders paid for in full':
    'Zwischen dem 1. und dem 3. März 2026 gingen 2 Bestellungen über insgesamt 75,00 EUR ein; die neueste ist B-1. Die Bestellungen wurden mit 2 Zahlungen vollständig bezahlt, die letzte am 4. März 2026. Stand 4. März 2026: 2 Bestellungen sind offen (B-1 und A-1).',
  'an order whose id says what it is':
    'Zwischen dem 1. und dem 3. März 2026 gingen 2 Bestellungen über insgesamt 75,00 EUR ein; davon wurde 1 zugestellt; die neueste ist Order-7. Stand 3. März 2026: Die Bestellung Order-7 (50,00 EUR) ist seit dem 3. März 2026 offen.',
  'one of several orders, paid':
    'Zwischen dem 1. und dem 3. März 2026 gingen 2 Bestellungen über insgesamt 75,00 EUR ein; davon wurde 1 zugestellt; die neueste ist A-1. Stand 4. März 2026: Die Bestellung A-1 (50,00 EUR, bezahlt) ist seit dem 3. März 2026 offen.',
  'nameless orders':
    'Zwischen dem 1. und dem 2. März 2026 gingen 2 Bestellungen ohne bekannte Beträge ein. Keine offenen Bestellungen oder Tickets.',
  'a payment': 'Am 1. März 2026 ging 1 Zahlung über 50,00 EUR ein. Keine offenen Bestellungen oder Tickets.',
  'payments of 10 and 20, and a refund of 15 that names the smaller':
    'Es gingen 2 Zahlungen über insgesamt 30,00 EUR ein, die letzte am 2. März 2026; erstattet wurden 15,00 EUR, es bleiben 15,00 EUR. Keine offenen Bestellungen oder Tickets.',
  'payments of 10 and 20, and a refund of 15 that names the larger':
    'Es gingen 2 Zahlungen über insgesamt 30,00 EUR ein, die letzte am 2. März 2026; erstattet wurden 15,00 EUR, es bleiben 15,00 EUR. Keine offenen Bestellungen oder Tickets.',
  'payments of 10 and 20, and a refund of 15 that names neither':
    'Es gingen 2 Zahlungen über insgesamt 30,00 EUR ein, die letzte am 2. März 2026; erstattet wurden 15,00 EUR, es bleiben 15,00 EUR. Keine offenen Bestellungen oder Tickets.',
  'payments of 10 and 20, and a refund of 15 that names their order':
    'Es gingen 2 Zahlungen über insgesamt 30,00 EUR ein, die letzte am 2. März 2026; erstattet wurden 15,00 EUR, es bleiben 15,00 EUR. Keine offenen Bestellungen oder Tickets.',
  'payments of 10 and 20, and a refund of 15 that names their invoice':
    'Es gingen 2 Zahlungen über insgesamt 30,00 EUR ein, die letzte am 2. März 2026; erstattet wurden 15,00 EUR, es bleiben 15,00 EUR. Keine offenen Bestellungen oder Tickets.',
  'a refunded payment':
    'Am 1. März 2026 ging 1 Zahlung über 50,00 EUR ein; erstattet wurden 20,00 EUR, es bleiben 30,00 EUR. Keine offenen Bestellungen oder Tickets.',
  'one refund told by order and payment':
    'An diesem Tag ging 1 Bestellung (A-1) über 50,00 EUR ein, die erstattet wurde. Die Bestellung wurde am 2. März 2026 vollständig bezahlt; der gesamte Betrag wurde erstattet. Keine offenen Bestellungen oder Tickets.',
  'refunds in two currencies':
    'Es gingen 2 Zahlungen über insgesamt 50,00 EUR und 50,00 USD ein, die letzte am 2. März 2026; erstattet wurden 1,00 EUR und 2,00 USD, es bleiben 49,00 EUR und 48,00 USD. Keine offenen Bestellungen oder Tickets.',
  'a failed payment':
    'Bisher ist kein Kauf verzeichnet. Stand 1. März 2026: Eine am 1. März 2026 fehlgeschlagene Zahlung über 50,00 EUR ist noch fällig.',
  'a second try with the same id':
    'Am 1. März 2026 schlug 1 Zahlungsversuch fehl; am 2. März 2026 ging 1 Zahlung über 50,00 EUR ein. Keine offenen Bestellungen oder Tickets.',
  'a second try for the same order':
    'Am 1. März 2026 schlug 1 Zahlungsversuch fehl; am 2. März 2026 ging 1 Zahlung über 50,00 EUR ein. Keine offenen Bestellungen oder Tickets.',
  'a second try of the same amount':
    'Am 1. März 2026 schlug 1 Zahlungsversuch fehl; am 2. März 2026 ging 1 Zahlung über 50,00 EUR ein. Keine offenen Bestellungen oder Tickets.',
  'another payment settles nothing':
    'Am 2. März 2026 ging 1 Zahlung über 9,00 EUR ein. Stand 2. März 2026: Eine am 1. März 2026 fehlgeschlagene Zahlung über 50,00 EUR ist noch fällig.',
  'three tries for one order are one debt':
    'Es schlugen 3 Zahlungsversuche fehl, der letzte am 3. März 2026. Stand 3. März 2026: Eine am 3. März 2026 fehlgeschlagene Zahlung über 50,00 EUR ist noch fällig.',
  'two debts':
    'Bisher ist kein Kauf verzeichnet. Stand 2. März 2026: 2 fehlgeschlagene Zahlungen (100,00 EUR) sind noch fällig.',
  'a cancelled order asks for no payment':
    'An diesem Tag ging 1 Bestellung (A-1) über 50,00 EUR ein, die storniert wurde. Am 2. März 2026 schlug 1 Zahlungsversuch fehl. Keine offenen Bestellungen oder Tickets.',
  'an open invoice':
    'Bisher ist kein Kauf verzeichnet. Stand 1. März 2026: Eine Zahlung über 10,00 EUR steht seit dem 1. März 2026 aus.',
  'an overdue invoice':
    'Bisher ist kein Kauf verzeichnet. Stand 2. März 2026: Eine Zahlung in unbekannter Höhe ist seit dem 2. März 2026 überfällig.',
  'a dispute':
    'Am 1. März 2026 ging 1 Zahlung über 50,00 EUR ein; am 2. März 2026 wurde 1 Zahlung angefochten. Keine offenen Bestellungen oder Tickets.',
  'a running subscription':
    'Das Abonnement Pro begann am 1. März 2026 und ist aktiv. Keine offenen Bestellungen oder Tickets.',
  'a trial':
    'Die Testphase Pro begann am 1. März 2026 und läuft bis zum 15. März 2026. Stand 1. März 2026: Die Testphase Pro läuft noch.',
  'a trial that nobody ended':
    'Die Testphase begann am 1. März 2026 und lief am 2. März 2026 ab. Es gab 2 Anmeldungen (zuletzt am 3. März 2026). Keine offenen Bestellungen oder Tickets.',
  'a trial until a day that does not exist':
    'Die Testphase begann am 1. März 2026 und läuft noch. Es gab 1 Anmeldung am 2. März 2026. Stand 2. März 2026: Die Testphase läuft noch.',
  'a cancellation for the end of time':
    'Das Abonnement begann am 1. März 2026 und wurde am 2. März 2026 zum Ende des bezahlten Zeitraums gekündigt. Stand 2. März 2026: Das Abonnement läuft aus.',
  'a trial that became more':
    'Die Testphase Pro begann am 1. März 2026, wurde am 2. März 2026 zum bezahlten Abonnement und ist aktiv. Keine offenen Bestellungen oder Tickets.',
  'an upgrade':
    'Das Abonnement Basic begann am 1. März 2026, wurde am 2. März 2026 von Basic auf Pro hochgestuft und ist aktiv. Keine offenen Bestellungen oder Tickets.',
  'a change of plan by an update':
    'Das Abonnement Basic begann am 1. März 2026, wurde am 2. März 2026 von Basic auf Team umgestellt und ist aktiv. Keine offenen Bestellungen oder Tickets.',
  'a nested event name':
    'Das Abonnement ist seit dem 1. März 2026 verzeichnet und ist seit dem 1. März 2026 im Zahlungsverzug. Stand 1. März 2026: Das Abonnement ist im Zahlungsverzug.',
  'a payment heals it':
    'Das Abonnement ist seit dem 1. März 2026 verzeichnet und ist aktiv. Am 2. März 2026 ging 1 Zahlung über 50,00 EUR ein. Keine offenen Bestellungen oder Tickets.',
  'cancelled at once':
    'Das Abonnement begann am 1. März 2026 und wurde am 2. März 2026 gekündigt. Keine offenen Bestellungen oder Tickets.',
  'cancelled for later':
    'Das Abonnement begann am 1. März 2026 und wurde am 2. März 2026 zum 1. April 2026 gekündigt. Stand 2. März 2026: Das Abonnement läuft aus.',
  'one renewal':
    'Das Abonnement begann am 1. März 2026, wurde einmal verlängert (am 2. März 2026 für 9,00 EUR) und ist aktiv. Keine offenen Bestellungen oder Tickets.',
  'ups and downs':
    'Das Abonnement Basic begann am 1. März 2026, wurde einmal hochgestuft und einmal herabgestuft (zuletzt am 3. März 2026 von Pro auf Basic herabgestuft) und ist aktiv. Keine offenen Bestellungen oder Tickets.',
  'two upgrades':
    'Das Abonnement Basic begann am 1. März 2026, wurde zweimal hochgestuft (zuletzt am 3. März 2026 von Pro auf Team) und ist aktiv. Keine offenen Bestellungen oder Tickets.',
  'two subscriptions':
    'Das Abonnement begann am 1. März 2026 und ist aktiv; ein weiteres Abonnement begann am 2. März 2026 und ist aktiv. Keine offenen Bestellungen oder Tickets.',
  'a ticket':
    'Am 1. März 2026 wurde 1 Ticket („Where is my parcel?“) eröffnet, das noch offen ist. Stand 1. März 2026: Das Ticket T-1 („Where is my parcel?“) ist seit dem 1. März 2026 offen.',
  'a resolved ticket':
    'Am 1. März 2026 wurde 1 Ticket eröffnet, das 1 Antwort erhielt und gelöst ist. Keine offenen Bestellungen oder Tickets.',
  'a reopened ticket':
    'Am 1. März 2026 wurde 1 Ticket eröffnet, das nach 1 Wiedereröffnung noch offen ist. Stand 3. März 2026: Das Ticket T-1 ist seit dem 1. März 2026 offen.',
  'answered tickets':
    'Es wurden 2 Tickets (das letzte am 3. März 2026) eröffnet, die insgesamt 1 Antwort erhielten; beide sind noch offen. Stand 3. März 2026: 2 Tickets sind offen (T-2 und T-1).',
  'a ticket and a message':
    'Am 1. März 2026 wurde 1 Ticket eröffnet, das noch offen ist; am 2. März 2026 gab es 1 eingehende Nachricht über eine Chat-App. Stand 2. März 2026: Das Ticket T-1 ist seit dem 1. März 2026 offen.',
  'three tickets':
    'Es wurden 3 Tickets (das letzte am 4. März 2026) eröffnet; 1 davon ist gelöst. Stand 4. März 2026: 2 Tickets sind offen (T-3 und „Billing“).',
  'messages of one side':
    'Es gab 2 eingehende Nachrichten über WhatsApp, die letzte am 2. März 2026. Keine offenen Bestellungen oder Tickets.',
  'messages of both sides':
    'Es wurden 2 Nachrichten ausgetauscht (1 eingehende und 1 ausgehende), meist per E-Mail, die letzte am 2. März 2026. Keine offenen Bestellungen oder Tickets.',
  pages:
    'Es gab 3 Seitenaufrufe (am häufigsten „/a“, zweimal; zuletzt am 3. März 2026). Keine offenen Bestellungen oder Tickets.',
  'a nameless page': 'Es gab 1 Seitenaufruf am 1. März 2026. Keine offenen Bestellungen oder Tickets.',
  'logins and changes':
    'Es gab 2 Anmeldungen (zuletzt am 2. März 2026) und 1 Profiländerung am 3. März 2026. Keine offenen Bestellungen oder Tickets.',
  'anything else':
    'Die Daten zeigen „wishlist item added“ zweimal (zuletzt am 2. März 2026), „a b“ am 3. März 2026, „c d“ am 4. März 2026 und „e f“ am 5. März 2026. Keine offenen Bestellungen oder Tickets.',
  'more unknown names than are shown':
    'Die Daten zeigen 1 früheres Ereignis anderer Art, „a b“ zweimal (zuletzt am 3. März 2026), „a c“ am 4. März 2026, „a d“ am 5. März 2026, „a e“ am 6. März 2026 und „a f“ am 7. März 2026. Keine offenen Bestellungen oder Tickets.',
  'one field of an unknown event, and none that identifies or authorizes':
    'Die Daten zeigen „course booked“ am 1. März 2026 (seats: 3) und „link opened“ am 2. März 2026. Keine offenen Bestellungen oder Tickets.',
  'an unknown step of a known thing':
    'Die Daten zeigen „order gift wrapped“ am 1. März 2026 (50,00 EUR). Keine offenen Bestellungen oder Tickets.',
  'nothing but a registration': 'Bisher ist kein Kauf verzeichnet. Keine offenen Bestellungen oder Tickets.',
};

export const germanTitles: Record<string, string> = {
  'a name in parts': 'Ada Byron, registriert seit März 2026',
  'an email when there is no name': 'ada@example.com, registriert seit März 2026',
  'a name that says nothing': 'cus_1, registriert seit März 2026',
  'a name that is {{customer.name}}': 'cus_1, registriert seit März 2026',
  'a name that is <nil>': 'cus_1, registriert seit März 2026',
  'a name that is (null)': 'cus_1, registriert seit März 2026',
  'a name that is %s': 'cus_1, registriert seit März 2026',
  'a name that is Guest': 'cus_1, registriert seit März 2026',
  'a name that is null null': 'cus_1, registriert seit März 2026',
  'a name that is Dear {first_name}': 'cus_1, registriert seit März 2026',
  'a profile beats an order form': 'Ada Byron, Neukunde seit März 2026',
  'the later profile wins': 'Ada Lovelace, registriert seit März 2026',
  'a customer’s name from an order': 'Ada, Neukunde seit März 2026',
  returning: 'cus_1, wiederkehrender Kunde seit März 2026',
  loyal: 'cus_1, Stammkunde seit März 2026',
  'not new after a month': 'cus_1, Kunde seit März 2026',
  'an order that was called off': 'cus_1, bekannt seit März 2026',
  'past due before all': 'cus_1, Kunde mindestens seit März 2026, Abonnement im Zahlungsverzug',
  'open tickets': 'cus_1, Kontakt seit März 2026, 2 offene Tickets',
  'open orders': 'cus_1, Neukunde seit März 2026, 1 offene Bestellung',
  'an ending subscription': 'cus_1, Neukunde seit März 2026, Abonnement endet am 1. April 2026',
  'a closed account': 'cus_1, Konto geschlossen im März 2026',
  'a signed-in user': 'cus_1, Benutzer seit März 2026',
};
