/** The parts of a starter, from which its MJML is generated. */
export type StarterParts = {
  /** The preview line that mail programs show next to the subject. */
  preview: string;
  heading: string;
  paragraphs: string[];
  /** MJML between the paragraphs and the button, such as a table. */
  details?: string;
  button?: { label: string; href: string };
  /** Below the card, in small print. */
  footer: string[];
};

/**
 * The dark mode colours, by class. Programs without `prefers-color-scheme` keep or invert the light colours, which are
 * chosen to stay readable in both cases.
 */
const style = `
      :root { color-scheme: light dark; supported-color-schemes: light dark; }
      @media (prefers-color-scheme: dark) {
        .page, .page > div { background: #101418 !important; }
        .card, .card > table { background: #1a2027 !important; }
        .ink div, .ink td { color: #e7ecf1 !important; }
        .soft div, .soft a { color: #9aa7b4 !important; }
        .rule p { border-top-color: #2f3943 !important; }
        .action td, .action a { background: #6ea8ff !important; color: #0b1a33 !important; }
      }`;

/** Renders a single-column card layout that fits a phone. */
export function starterMjml({ preview, heading, paragraphs, details = '', button, footer }: StarterParts): string {
  const texts = paragraphs.map((text) => `<mj-text css-class="ink">${text}</mj-text>`).join('\n        ');
  const action = button
    ? `<mj-button css-class="action" href="${button.href}">${button.label}</mj-button>`
    : '<mj-spacer height="4px" />';
  return `<mjml lang="en">
  <mj-head>
    <mj-title>${heading}</mj-title>
    <mj-preview>${preview}</mj-preview>
    <mj-attributes>
      <mj-all font-family="system-ui, -apple-system, Segoe UI, Roboto, Helvetica, Arial, sans-serif" />
      <mj-text font-size="16px" line-height="1.55" color="#1d2630" padding="0 32px 16px" />
      <mj-button background-color="#1f5fd0" color="#ffffff" border-radius="8px" font-size="16px" font-weight="600"
        inner-padding="13px 24px" align="left" padding="8px 32px 24px" />
    </mj-attributes>
    <mj-style>${style}
    </mj-style>
  </mj-head>
  <mj-body background-color="#f2f4f7" css-class="page">
    <mj-section padding="16px 0 0"><mj-column><mj-spacer height="8px" /></mj-column></mj-section>
    <mj-section css-class="card" background-color="#ffffff" border-radius="12px" padding="32px 0 12px">
      <mj-column>
        <mj-text css-class="ink" font-size="24px" line-height="1.3" font-weight="700">
          <h1 style="margin:0;font:inherit">${heading}</h1>
        </mj-text>
        ${texts}
        ${details}
        ${action}
      </mj-column>
    </mj-section>
    <mj-section padding="12px 0 32px">
      <mj-column>
        ${footer.map((text) => `<mj-text css-class="soft" font-size="13px" color="#5b6773" padding="0 32px 8px">${text}</mj-text>`).join('\n        ')}
      </mj-column>
    </mj-section>
  </mj-body>
</mjml>
`;
}

/** The style of a table's cells. */
export const starterCell = 'padding:8px 0;border-bottom:1px solid rgba(128,140,152,0.35)';

/** A table of names and values, in the style of the card. `rows` are HTML. */
export function starterTable(rows: string[]): string {
  return `<mj-table css-class="ink" font-size="16px" line-height="1.4" color="#1d2630" padding="0 32px 24px">
          ${rows.join('\n          ')}
        </mj-table>`;
}

export function starterRow(name: string, value: string, style: string = starterCell): string {
  return `<tr><td style="${style}">${name}</td><td style="${style}" align="right">${value}</td></tr>`;
}
