import { type FieldErrors, renderFieldError } from './fields.ts';
import { type Content, type Html, html } from './html.ts';

/** A box to tick, with what ticking it means. */
export type Box = {
  value: string;
  /** Default: the value itself, as code. */
  label?: Content;
  words: Content;
  /** Cannot be ticked now; the words say why. */
  isOff?: boolean;
};

type Group = {
  legend: string;
  boxes: readonly Box[];
  /** Whether it opens by its legend: one of many. It is open from the beginning when a box of it is ticked. */
  isFolded?: boolean;
};

export type CheckGroups = {
  name: string;
  label: string;
  hint?: Content;
  groups: readonly Group[];
};

/**
 * Renders a field of several values as boxes in groups. A form sends a name once, so that the box of `value` is named
 * `name.value`: `pickTicked` reads them.
 */
export function renderCheckGroups(
  { name, label, hint, groups }: CheckGroups,
  ticked: readonly string[],
  errors: FieldErrors = {},
): Html {
  const error = errors[name];
  const described = [hint && `${name}-hint`, error && `${name}-error`].filter(Boolean).join(' ');
  return html`<div class="field" role="group" aria-labelledby="${name}-label"${described && html` aria-describedby="${described}"`}>
<span class="label" id="${name}-label">${label}</span>
${hint && html`<p class="hint" id="${name}-hint">${hint}</p>`}
${renderFieldError(name, error)}
<div class="scopes">${groups.map((group) => renderGroup(name, group, ticked))}</div>
</div>`;
}

function renderGroup(name: string, { legend, boxes, isFolded = false }: Group, ticked: readonly string[]): Html {
  const content = boxes.map((box) => renderBox(name, box, ticked));
  if (!isFolded)
    return html`<fieldset><legend>${legend}</legend>${content}</fieldset>
`;
  const isOpen = boxes.some(({ value }) => ticked.includes(value));
  return html`<details${isOpen && html` open`}><summary>${legend}</summary><fieldset aria-label="${legend}">${content}</fieldset></details>
`;
}

function renderBox(name: string, { value, label, words, isOff = false }: Box, ticked: readonly string[]): Html {
  return html`<label class="check"><input type="checkbox" name="${name}.${value}"${ticked.includes(value) && html` checked`}${isOff && html` disabled`}>${label ?? html`<code>${value}</code>`}<span class="hint">${words}</span></label>
`;
}

/** How they look, for the gallery. */
export const examples = {
  'Boxes in groups': () =>
    renderCheckGroups(
      {
        name: 'example-scopes',
        label: 'Scopes',
        hint: 'What the key can do.',
        groups: [
          {
            legend: 'context',
            boxes: [
              { value: 'context.events.write', words: 'Send business events' },
              { value: 'context.story.read', words: 'Read customer stories', isOff: true },
            ],
          },
          { legend: 'mail', boxes: [{ value: 'mail.send', words: 'Send mail' }], isFolded: true },
        ],
      },
      ['context.events.write'],
      { 'example-scopes': 'Choose at least one.' },
    ),
};
