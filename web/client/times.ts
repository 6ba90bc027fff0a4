const dayOf = (at: Date): string => at.toDateString();

/**
 * Formats the times of a page in the reader's time zone, as `data-time` says: `long` as a date with the time, `short`
 * the same in short form and without the date if it is today, `when` keeps its words ("3 min ago"). The title of each is
 * the whole time. A day, which has none, stays.
 */
export function localizeTimes(root: ParentNode): void {
  const { lang } = document.documentElement;
  // As the server: English dates are not American ones.
  const locale = lang === 'en' ? 'en-GB' : lang;
  const today = dayOf(new Date());
  for (const element of root.querySelectorAll<HTMLTimeElement>('time[data-time]')) {
    const at = new Date(element.dateTime);
    const long = new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeStyle: 'short' }).format(at);
    const time = { hour: '2-digit', minute: '2-digit' } as const;
    const date = dayOf(at) === today ? {} : ({ day: 'numeric', month: 'short' } as const);
    element.title = long;
    const { time: form } = element.dataset;
    if (form === 'when') continue;
    const words = form === 'short' ? new Intl.DateTimeFormat(locale, { ...date, ...time }).format(at) : long;
    if (element.textContent !== words) element.textContent = words;
  }
}
