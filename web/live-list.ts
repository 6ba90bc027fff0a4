import { type Html, html } from './html.ts';
import { renderIcon } from './icons.ts';
import { useScript } from './script.ts';
import { texts } from './texts.ts';

const switchId = 'live';

/** Renders a link that reloads the page, and a switch for {@link renderLiveList}, which its script shows. */
export function renderReload(href: string): Html {
  const t = texts().live;
  return html`<label class="row small" hidden><input type="checkbox" role="switch" id="${switchId}" autocomplete="off" checked>${t.live}</label><a class="btn" href="${href}">${renderIcon('refresh')}${t.reload}</a>`;
}

/**
 * Renders a list that a script replaces every few seconds by what is at `src`, which answers with the list alone. The
 * page has `isLive`.
 */
export function renderLiveList(src: string, list: Html): Html {
  return html`<x-live-list data-src="${src}" data-switch="${switchId}">${list}</x-live-list>
${useScript('live-list')}`;
}
