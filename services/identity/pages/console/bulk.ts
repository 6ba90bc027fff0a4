import type { Action } from '../../../../lib/contract/define-action.ts';
import { apiError, inputError, orNull } from '../../../../lib/contract/errors.ts';
import { type Refusal, refuse } from '../../../../web/attempt.ts';
import { type BulkBar, maxChosen, pickChosen, renderBulkBar, renderChosen } from '../../../../web/bulk.ts';
import { renderForm } from '../../../../web/form-page.ts';
import { type Html, html } from '../../../../web/html.ts';
import type { IconName } from '../../../../web/icons.ts';
import { singleValues } from '../../../../web/list-query.ts';
import {
  type OrganizationVisit,
  organizationPage,
  pathOf,
  renderOrganizationPage,
} from '../../../../web/organization-page.ts';
import type { PageAnswer } from '../../../../web/page.ts';
import { renderState } from '../../../../web/states.ts';
import { texts as sharedTexts } from '../../../../web/texts.ts';
import { texts } from '../texts.ts';
import { refusalInWords } from './users-page.ts';

/** An act on each of the chosen rows. */
export type BulkAct<Row> = {
  icon: IconName;
  work: (visit: OrganizationVisit, row: Row) => Promise<unknown>;
  /** Takes something away; the button is red. */
  isDangerous?: boolean;
};

type Words = ReturnType<typeof texts>['people']['bulk']['users']['suspend'];

/** The bulk actions of a list. */
export type BulkList<Row> = {
  area: 'users' | 'invitations';
  /** The query parameters of the list's place, which its actions keep: filters, order and cursor. */
  parameters: readonly string[];
  acts: Readonly<Record<string, BulkAct<Row>>>;
  /** The words of the acts, by the same keys. */
  words: () => Readonly<Record<string, Words>>;
  /** @throws NOT_FOUND for an id that is not in the organization. */
  find: (visit: OrganizationVisit, id: string) => Promise<Row>;
  nameOf: (row: Row) => string;
  openFlow: (visit: OrganizationVisit) => string;
  reject: (visit: OrganizationVisit) => Refusal | null;
  renderList: (visit: OrganizationVisit, refusal: Refusal) => Promise<PageAnswer>;
};

/** Defines the pages of the bulk actions of a list: one asks, the other does it and names the outcome of each row. */
export function bulkPages<Row>(list: BulkList<Row>): Record<'ask' | 'confirm', Action> {
  return {
    ask: organizationPage(list.area, {
      rest: 'POST /bulk',
      summary: `Ask before an action on the chosen ${list.area}`,
      handler: (visit) => ask(visit, list),
    }),
    confirm: organizationPage(list.area, {
      rest: 'POST /bulk/confirm',
      summary: `Act on the chosen ${list.area}, and show the outcome of each`,
      handler: (visit) => actOnEach(visit, list),
    }),
  };
}

/** The path of a page below the list, or of the list, with the place in the list that the rows were chosen at. */
function pathInList<Row>(visit: OrganizationVisit, list: BulkList<Row>, rest: readonly string[] = []): string {
  return pathOf(visit, list.area, rest, singleValues(visit.query, list.parameters) as Record<string, string>);
}

/** Renders the bar with the bulk actions of a list. */
export function renderBulkActs<Row>(visit: OrganizationVisit, list: BulkList<Row>): Html {
  const { area, acts, words, openFlow } = list;
  const buttons: BulkBar['acts'] = Object.entries(acts).map(([value, { icon }]) => {
    return { value, icon, words: wordsOf(words, value).submit };
  });
  return renderBulkBar({
    action: pathInList(visit, list, ['bulk']),
    flow: openFlow(visit),
    label: texts().people.bulk.labels[area],
    acts: buttons,
  });
}

type Chosen<Row> = { id: string; row: Row | null };

async function ask<Row>(visit: OrganizationVisit, list: BulkList<Row>): Promise<PageAnswer> {
  const { ids, act } = choiceOf(visit, list);
  const refusal = list.reject(visit) ?? rejectChoice(ids);
  if (refusal) return await list.renderList(visit, refusal);
  const rows = (await findAll(visit, list, ids)).filter(({ row }) => row !== null);
  const { area, openFlow } = list;
  const { question, consequence, title } = wordsOf(list.words, act);
  const back = pathInList(visit, list);
  return renderOrganizationPage(visit, {
    title: question(rows.length),
    lead: consequence,
    parents: [[back, sharedTexts().console.areas[area]]],
    body: html`<ul class="list">${rows.map((chosen) => html`<li><bdi>${nameIn(list, chosen)}</bdi></li>`)}</ul>
<div class="row wrap after">${renderForm({
      action: pathInList(visit, list, ['bulk', 'confirm']),
      flow: openFlow(visit),
      fields: renderChosen(
        rows.map(({ id }) => id),
        act,
      ),
      submit: title,
      isDangerous: list.acts[act]?.isDangerous ?? false,
    })}<a class="btn" href="${back}">${texts().people.bulk.cancel}</a></div>`,
  });
}

/** The outcome of a row; `refusal` is null where the act succeeded. */
type Outcome = { name: string; refusal: Refusal | null };

async function actOnEach<Row>(visit: OrganizationVisit, list: BulkList<Row>): Promise<PageAnswer> {
  const { ids, act } = choiceOf(visit, list);
  const refusal = list.reject(visit) ?? rejectChoice(ids);
  if (refusal) return await list.renderList(visit, refusal);
  const outcomes: Outcome[] = [];
  for (const chosen of await findAll(visit, list, ids)) {
    outcomes.push({ name: nameIn(list, chosen), refusal: await actOn(visit, list, act, chosen.row) });
  }
  return renderOutcomes(visit, list, act, outcomes);
}

async function actOn<Row>(
  visit: OrganizationVisit,
  { acts }: BulkList<Row>,
  act: string,
  row: Row | null,
): Promise<Refusal | null> {
  if (row === null) return refuse({}, texts().people.bulk.gone, 404);
  return await refusalInWords([], async () => acts[act]?.work(visit, row));
}

/** Reads the choice of the form. Throws INPUT_INVALID for an act that the list does not have. */
function choiceOf<Row>({ form }: OrganizationVisit, { acts }: BulkList<Row>): { ids: string[]; act: string } {
  const choice = pickChosen(form);
  if (Object.hasOwn(acts, choice.act)) return choice;
  throw inputError([{ path: 'body.act', message: `Must be one of ${Object.keys(acts).join(', ')}.` }]);
}

function rejectChoice(ids: readonly string[]): Refusal | null {
  const t = texts().people.bulk;
  if (ids.length === 0) return refuse({}, t.none);
  return ids.length > maxChosen ? refuse({}, t.tooMany(maxChosen)) : null;
}

/** Finds the chosen rows; throws NOT_FOUND when none of them is in the organization. */
async function findAll<Row>(
  visit: OrganizationVisit,
  { find }: BulkList<Row>,
  ids: readonly string[],
): Promise<Chosen<Row>[]> {
  const found = await Promise.all(ids.map(async (id) => ({ id, row: await orNull(find(visit, id), 'NOT_FOUND') })));
  if (found.every(({ row }) => row === null)) throw apiError('NOT_FOUND');
  return found;
}

const nameIn = <Row>({ nameOf }: BulkList<Row>, { id, row }: Chosen<Row>): string => (row === null ? id : nameOf(row));

function renderOutcomes<Row>(
  visit: OrganizationVisit,
  list: BulkList<Row>,
  act: string,
  outcomes: readonly Outcome[],
): PageAnswer {
  const { area, words } = list;
  const t = texts().people.bulk;
  const { title, done } = wordsOf(words, act);
  const refusals = outcomes.flatMap(({ refusal }) => refusal ?? []);
  const [first] = refusals;
  const isRefused = first !== undefined && refusals.length === outcomes.length;
  const back = pathInList(visit, list);
  return renderOrganizationPage(visit, {
    title,
    lead: isRefused ? null : t.summary(outcomes.length - refusals.length, refusals.length),
    parents: [[back, sharedTexts().console.areas[area]]],
    refusal: isRefused ? { ...first, errors: {}, problem: t.noneDone } : null,
    body: html`<ul class="list" aria-label="${t.outcomes}">${outcomes.map((outcome) => renderOutcome(outcome, done))}</ul>
<p class="after"><a class="btn" href="${back}">${t.back}</a></p>`,
  });
}

function renderOutcome({ name, refusal }: Outcome, done: string): Html {
  const state = refusal ? renderState(texts().people.bulk.refused, 'bad') : renderState(done, 'good');
  return html`<li><span class="grow"><b><bdi>${name}</bdi></b>${refusal && html`<span class="quiet sub-line">${refusal.problem}</span>`}</span>${state}</li>
`;
}

function wordsOf(words: BulkList<never>['words'], act: string): Words {
  const found = words()[act];
  if (!found) throw new Error(`The bulk action ${act} has no words.`);
  return found;
}
