import { publicPage } from '../../../web/define-page.ts';
import { renderGallery } from '../../../web/gallery.ts';
import { html } from '../../../web/html.ts';
import { renderPage } from '../../../web/page.ts';
import { texts } from './texts.ts';

/** The gallery of the components that pages are made of, for development, for requests from this machine alone. */
export const galleryPages = {
  'pages.gallery.show': publicPage({
    rest: 'GET /dev/gallery',
    summary: 'Show the components that pages are made of',
    thisMachineOnly: true,
    handler() {
      const { title } = texts().gallery;
      return renderPage({ title, body: html`<h1>${title}</h1>${renderGallery()}` });
    },
  }),
};
