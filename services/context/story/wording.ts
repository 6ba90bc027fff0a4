import { capitalize } from '../../../lib/format/capitalize.ts';
import { lengths } from './bounds.ts';
import { asSource, field, firstText, type Source, valueAt } from './payload.ts';
import { cleanText, humanize } from './text.ts';
import { billingFields, namesOf } from './vocabulary/fields.ts';

/** A name that a program uses, rather than a person: no blank, and a separator or a lower-case beginning. */
const codeLike = /^(?:[a-z][\w.-]*|[A-Z\d][A-Z\d]*(?:[_.-][A-Z\d]+)+)$/;

/** A billing provider's id in place of the plan's name. */
const providerId = /^(?:price|plan|prod|sub|si)_[A-Za-z0-9]{6,}$/;

/** Says that there is a reason, and not which. */
const emptyReasons = new Set(['cancellation requested', 'other', 'unknown', 'requested by customer']);

/** `team_monthly` → `Team monthly`; a plan's name in a person's own writing stays as it is. */
export function planLabel(text: string): string {
  if (providerId.test(text)) return '';
  return codeLike.test(text) ? capitalize(humanize(text)) : text;
}

/** The plan of a subscription, also where a billing provider holds it: in `plan`, or in the price of its first item. */
export function planFrom(sources: Source[]): string {
  const stated = planLabel(firstText(sources, namesOf('plan'), lengths.plan));
  if (stated) return stated;
  for (const source of sources) {
    const [item] = [field(field(source, 'items'), 'data')].flat();
    const prices = [field(item, 'price'), field(item, 'plan'), field(source, 'plan')].map(asSource);
    const named = firstText(
      prices.filter((price) => price !== undefined),
      [...billingFields.plan],
      lengths.plan,
    );
    const label = planLabel(named);
    if (label) return label;
  }
  return '';
}

/** Why something was cancelled, in the customer's own words before a code; `''` when the event does not say. */
export function reasonFrom(sources: Source[]): string {
  const details = billingFields.reason.map((path) => sources.map((source) => valueAt(source, path)).find(Boolean));
  const [comment, feedback, cause] = details.map((value) => cleanText(value, lengths.reason));
  const candidates = [comment, feedback, firstText(sources, namesOf('reason'), lengths.reason), cause];
  const readable = candidates.map((text = '') => (codeLike.test(text) ? humanize(text) : text));
  return readable.find((text) => text !== '' && !emptyReasons.has(text.toLowerCase())) ?? '';
}

/** `order A-1`; a sender's id that says what it is stays alone: `order-1`. */
export function named(noun: string, id: string): string {
  return id.toLowerCase().startsWith(noun.toLowerCase()) ? id : `${noun}${id && ` ${id}`}`;
}

/** The reason as a story shows it; words of a code may be longer than the code. */
export function shownReason(reason: string): string {
  return cleanText(reason, lengths.reason);
}
