import type { Form } from './define-page.ts';
import { flowField } from './flow.ts';
import { type Html, html } from './html.ts';
import { type IconName, renderIcon } from './icons.ts';
import { pickFields, pickTicked } from './pick.ts';
import { texts } from './texts.ts';

/** Maximum number of rows of one bulk action: a page of a list. */
export const maxChosen = 50;

/** The id of the form that the boxes of rows belong to; a page has one list with boxes. */
export const bulkFormId = 'bulk';
/** The name of the boxes, before the id of their row. */
const box = 'chosen';

/** Renders the box that chooses a row. `name` is the row for people. */
export function renderPick(id: string, name: string): Html {
  return html`<input type="checkbox" class="pick" name="${box}.${id}" form="${bulkFormId}" aria-label="${texts().list.bulk.select(name)}">`;
}

export type BulkBar = {
  action: string;
  flow: string;
  /** Name of the bar for screen readers: "Selected users". */
  label: string;
  acts: readonly { value: string; icon: IconName; words: string }[];
  /** Further fields of the form: where in a list the rows are. */
  fields?: Html;
};

/** Renders what can be done to the chosen rows. Styles show it with the first chosen row, and count the rows. */
export function renderBulkBar({ action, flow, label, acts, fields }: BulkBar): Html {
  return html`<form class="bulk" id="${bulkFormId}" method="post" action="${action}" aria-label="${label}">${flowField(flow)}${fields}<span class="chosen">${texts().list.bulk.selected}</span><span class="sep"></span>${acts.map(
    ({ value, icon, words }) => html`<button name="act" value="${value}">${renderIcon(icon, 'sm')}${words}</button>`,
  )}</form>`;
}

/** The fields that send a choice of rows again, for the form that confirms it. */
export function renderChosen(ids: readonly string[], act: string): Html {
  return html`<input type="hidden" name="act" value="${act}">${ids.map((id) => html`<input type="hidden" name="${box}.${id}" value="on">`)}`;
}

/** Reads the ids of the chosen rows, the act, and the form's further fields. */
export function pickChosen<N extends string = never>(
  form: Form,
  ...names: N[]
): { ids: string[]; act: string } & Record<N, string> {
  const { ticked, rest } = pickTicked(form, box);
  return { ids: ticked, ...pickFields<N | 'act'>(rest, 'act', ...names) };
}

/** How it looks, for the gallery. */
export const examples = {
  'Bulk actions':
    () => html`<div class="row wrap"><label class="check">${renderPick('usr_1', 'Ada Moreau')}<span>Ada Moreau</span></label><label class="check">${renderPick('usr_2', 'Grace Hopper')}<span>Grace Hopper</span></label></div>
${renderBulkBar({
  action: '/dev/gallery',
  flow: '',
  label: 'Selected users',
  acts: [
    { value: 'suspend', icon: 'lock', words: 'Suspend' },
    { value: 'restore', icon: 'undo', words: 'End suspension' },
  ],
})}`,
};
