import { renderFieldError } from './fields.ts';
import { flowField } from './flow.ts';
import { type Content, type Html, html } from './html.ts';
import { renderIcon } from './icons.ts';
import { useScript } from './script.ts';
import { texts } from './texts.ts';

export type UploadForm = {
  /** The signed address of the form, at the storage. */
  action: string;
  /** Limits of the file. */
  hint: Content;
  /** Whether a file of the same name may be replaced, if the form asks. */
  mayReplace?: boolean;
  /** Whether the form replaces one file, under any name of the new one. */
  isReplacement?: boolean;
  /** The token of the form, where a page of the platform receives it. */
  flow?: string;
  /** The media types that the browser offers to choose from; all by default. */
  accept?: string;
  /** Why the last file was refused. */
  error?: string | undefined;
};

export type Uploader = UploadForm & {
  /** Limits of the files that the script uploads. */
  scriptHint: Content;
  /** Path that signs the upload of one file: the script adds `name`, `type`, `size` and `replace`. */
  signPath: string;
  /** Id of the element that shows the files, and the path of its fragment, which replaces its content at the end. */
  list: { id: string; path: string };
};

/**
 * Renders a form that uploads one file. With the script it takes several files, also dropped on the page, and shows
 * the progress of each.
 */
export function renderUploader({ signPath, list, scriptHint, ...form }: Uploader): Html {
  const t = texts().upload;
  return html`<x-upload data-sign="${signPath}" data-list="${list.id}" data-src="${list.path}">
${renderUploadForm(form, scriptHint)}
<div class="uploads" role="group" aria-label="${t.uploads}" hidden><header><p class="grow" role="status"></p><button class="btn only plain sm" type="button" aria-label="${t.close}" data-act="close">${renderIcon('x')}</button></header>
<ul data-running="${t.running}" data-ended="${t.ended}" data-waiting="${t.waiting}" data-progress="${t.progress}" data-seconds-left="${t.secondsLeft}" data-minutes-left="${t.minutesLeft}" data-storing="${t.storing}" data-done="${t.done}" data-lost="${t.lost}" data-failed="${t.failed}" data-logged-out="${t.loggedOut}" data-cancel="${t.cancel}" data-retry="${t.retry}" data-replace="${t.replaceOne}"${renderRefusals()}></ul></div>
<template><li><span class="clip"><bdi></bdi></span><span class="said quiet num"></span><span class="row"><button class="btn sm" type="button" data-act="replace" hidden>${t.replaceWord}</button><button class="btn only plain sm" type="button" data-act="retry" hidden>${renderIcon('refresh')}</button><button class="btn only plain sm" type="button" data-act="cancel">${renderIcon('x')}</button></span><progress max="100" value="0"></progress></li></template>
</x-upload>
${useScript('upload')}`;
}

/** Renders the words of refusals for scripts that show why a file was refused, in languages other than English. */
export function renderRefusals(): Html | null {
  const { ofUploads } = texts().refusals;
  return Object.keys(ofUploads).length === 0 ? null : html` data-refusals="${JSON.stringify(ofUploads)}"`;
}

/** Renders a form that uploads one file, without a script. */
export function renderUploadForm(form: UploadForm, scriptHint?: Content): Html {
  const { action, hint, mayReplace = false, isReplacement = false, flow, accept, error } = form;
  const t = texts().upload;
  return html`<form class="drop" method="post" action="${action}" enctype="multipart/form-data" aria-label="${t.title}">
<p class="dropping" hidden>${renderIcon('upload', 'sm')}<span>${t.drop} <label class="link" for="upload-file">${t.choose}</label></span></p>
${flow !== undefined && flowField(flow)}
${isReplacement && html`<input type="hidden" name="replace" value="on">`}
${mayReplace && html`<label class="check single"><input type="checkbox" name="replace"><span>${t.replace}</span></label>`}
${renderFieldError('file', error)}
<input type="file" id="upload-file" name="file" aria-label="${t.file}"${accept && html` accept="${accept}"`}${error && html` aria-invalid="true" aria-describedby="file-error"`} required>
<button class="btn single">${renderIcon('upload')}${t.submit}</button>
<p class="hint single">${hint}</p>${scriptHint && html`<p class="hint dropping" hidden>${scriptHint}</p>`}
</form>`;
}

/** How it looks, for the gallery. */
export const examples = {
  'File upload': () =>
    renderUploader({
      action: '/dev/gallery',
      hint: 'At most 5 MB a file.',
      scriptHint: 'At most 5 GB a file.',
      mayReplace: true,
      signPath: '/dev/gallery',
      list: { id: 'example-files', path: '/dev/gallery' },
    }),
};
