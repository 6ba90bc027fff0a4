import { z } from 'zod';
import { requireInForce } from '../../../lib/clients/organizations.ts';
import { defineAction } from '../../../lib/contract/define-action.ts';
import { html } from '../../../web/html.ts';
import { pageOutput } from '../../../web/page.ts';
import { frameHrefs } from '../../../widget/assets.ts';
import { findFrameSite, frameHeaders, launcherAppearance } from '../widget/site.ts';

/**
 * GET /widget/frame: the document of the widget's frame, the only page that may be framed: by the allowed origins of
 * its site. Contains no visitor data; the loader passes the visitor's token in a message.
 */
const renderFrame = defineAction({
  rest: 'GET /widget/frame',
  summary: "Show the conversation of a website's visitor, for a frame in its pages",
  permission: 'public',
  answers: 'html',
  input: { query: z.strictObject({ tenantId: z.string().max(100), siteId: z.string().max(100).optional() }) },
  output: pageOutput,
  errors: ['NOT_FOUND', 'SITE_DISABLED', 'ORGANIZATION_SUSPENDED'],
  // An error page may not be framed.
  exposure: { framing: ["'none'"] },
  async handler({ query: { tenantId, siteId }, ctx }) {
    const site = await findFrameSite(tenantId, siteId);
    await requireInForce(ctx, site.orgId);
    const { name, greeting, logoUrl } = site;
    const data = JSON.stringify({ name, greeting, logoUrl, ...launcherAppearance(site) });
    const { style, main, modules } = frameHrefs;
    const document = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, interactive-widget=resizes-content">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${name}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${style}">
${modules.map((href) => html`<link rel="modulepreload" href="${href}">`)}
<script type="module" src="${main}"></script>
</head>
<body data-site="${data}"></body>
</html>
`;
    return { status: 200, headers: frameHeaders(site), cookies: [], html: document.toString() };
  },
});

export const framePages = { 'pages.frame.show': renderFrame };
