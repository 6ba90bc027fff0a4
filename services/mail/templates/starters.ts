import type { Variable } from '../../../messaging/templates/content.ts';
import type { Starter } from '../../../messaging/templates/kind.ts';

/** The parts of a starter, from which its MJML is generated. */
type StarterParts = {
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
function starterMjml({ preview, heading, paragraphs, details = '', button, footer }: StarterParts): string {
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
const starterCell = 'padding:8px 0;border-bottom:1px solid rgba(128,140,152,0.35)';

/** A table of names and values, in the style of the card. `rows` are HTML. */
function starterTable(rows: string[]): string {
  return `<mj-table css-class="ink" font-size="16px" line-height="1.4" color="#1d2630" padding="0 32px 24px">
          ${rows.join('\n          ')}
        </mj-table>`;
}

function starterRow(name: string, value: string, style: string = starterCell): string {
  return `<tr><td style="${style}">${name}</td><td style="${style}" align="right">${value}</td></tr>`;
}

const variable = (name: string, sample: string, required = true): Variable => ({ name, required, sample });

const company = variable('companyName', 'Acme Bikes');
const name = variable('name', 'Grace');
const sentBy = 'You get this email because you have an account with {{ companyName }}.';

/** The starters of mail; readable in light and dark mode, on phone and desktop. */
export const starters = {
  welcome: {
    name: 'Welcome',
    description: 'Greets a new customer and names the first step.',
    category: 'transactional',
    subject: 'Welcome to {{ companyName }}',
    mjml: starterMjml({
      preview: 'Your account is ready.',
      heading: 'Welcome, {{ name }}',
      paragraphs: [
        'Your account with {{ companyName }} is ready.',
        'Take a minute to complete your profile, so that we can help you faster when you need us.',
      ],
      button: { label: 'Open your account', href: '{{ accountUrl }}' },
      footer: [sentBy],
    }),
    variables: [name, company, variable('accountUrl', 'https://shop.example.com/account')],
  },
  receipt: {
    name: 'Receipt',
    description:
      'Confirms a payment. Its lines are texts such as “City bike|1 × 899.00 €”, with a semicolon between them.',
    category: 'transactional',
    subject: 'Your receipt for order {{ orderNumber }}',
    mjml: starterMjml({
      preview: 'Order {{ orderNumber }}: {{ total }}.',
      heading: 'Thank you for your order',
      paragraphs: ['Hello {{ name }}, we have your payment for order {{ orderNumber }} of {{ orderDate }}.'],
      details: starterTable([
        '{% assign rows = lines | split: ";" %}{% for row in rows %}{% assign cells = row | split: "|" %}',
        starterRow('{{ cells | first }}', '{{ cells | last }}'),
        '{% endfor %}',
        starterRow('Total', '{{ total }}', 'padding:12px 0;font-weight:700'),
      ]),
      button: { label: 'View your order', href: '{{ orderUrl }}' },
      footer: ['Keep this email for your records.', sentBy],
    }),
    variables: [
      name,
      company,
      variable('orderNumber', 'A-1042'),
      variable('orderDate', '2 March 2026'),
      variable('lines', 'City bike|1 × 899.00 €;Bell|2 × 12.50 €'),
      variable('total', '924.00 €'),
      variable('orderUrl', 'https://shop.example.com/orders/A-1042'),
    ],
  },
  'password-notice': {
    name: 'Password changed',
    description: 'Tells the owner of an account that its password was changed.',
    category: 'transactional',
    subject: 'Your password was changed',
    mjml: starterMjml({
      preview: 'If this was not you, act now.',
      heading: 'Your password was changed',
      paragraphs: [
        'Hello {{ name }}, the password of your {{ companyName }} account was changed on {{ changedAt }}.',
        'If this was you, there is nothing to do. If not, choose a new password now and sign out everywhere.',
      ],
      button: { label: 'Secure your account', href: '{{ recoveryUrl }}' },
      footer: [sentBy],
    }),
    variables: [
      name,
      company,
      variable('changedAt', '2 March 2026, 09:30 UTC'),
      variable('recoveryUrl', 'https://shop.example.com/recover'),
    ],
  },
  invitation: {
    name: 'Invitation',
    description: 'Invites a person to join a team.',
    category: 'transactional',
    subject: '{{ inviterName }} invites you to {{ teamName }}',
    mjml: starterMjml({
      preview: 'Accept the invitation to {{ teamName }}.',
      heading: 'Join {{ teamName }}',
      paragraphs: [
        '{{ inviterName }} invites you to work together in {{ teamName }} on {{ companyName }}.',
        'The invitation is valid until {{ validUntil }}.',
      ],
      button: { label: 'Accept the invitation', href: '{{ invitationUrl }}' },
      footer: ['If you do not know {{ inviterName }}, you can ignore this email.'],
    }),
    variables: [
      variable('inviterName', 'Ada Lovelace'),
      variable('teamName', 'Workshop'),
      company,
      variable('validUntil', '9 March 2026'),
      variable('invitationUrl', 'https://shop.example.com/invitations/7f3a'),
    ],
  },
  'shipping-notice': {
    name: 'Shipping notice',
    description: 'Tells a customer that a parcel is on its way.',
    category: 'transactional',
    subject: 'Your order {{ orderNumber }} is on its way',
    mjml: starterMjml({
      preview: 'Expected {{ deliveryDate }}.',
      heading: 'Your order is on its way',
      paragraphs: ['Hello {{ name }}, we handed your order to {{ carrier }}.'],
      details: starterTable([
        starterRow('Order', '{{ orderNumber }}'),
        starterRow('Expected', '{{ deliveryDate }}'),
        starterRow('Tracking number', '{{ trackingNumber }}'),
      ]),
      button: { label: 'Track your parcel', href: '{{ trackingUrl }}' },
      footer: [sentBy],
    }),
    variables: [
      name,
      company,
      variable('orderNumber', 'A-1042'),
      variable('carrier', 'Alpine Parcel'),
      variable('deliveryDate', '4 March 2026'),
      variable('trackingNumber', 'AP 4471 0093'),
      variable('trackingUrl', 'https://parcel.example.com/AP44710093'),
    ],
  },
  newsletter: {
    name: 'Newsletter',
    description: 'News for subscribers, with a link to unsubscribe.',
    category: 'marketing',
    subject: '{{ headline }}',
    mjml: starterMjml({
      preview: '{{ teaser }}',
      heading: '{{ headline }}',
      paragraphs: ['{{ teaser }}', '{{ story | newline_to_br }}'],
      button: { label: 'Read more', href: '{{ storyUrl }}' },
      footer: [
        'You get this email because you subscribed to news of {{ companyName }}.',
        '<a href="{{ unsubscribeUrl }}" style="color:#5b6773">Unsubscribe</a>',
      ],
    }),
    variables: [
      company,
      variable('headline', 'Spring is here'),
      variable('teaser', 'New colours, lighter frames, and a free check of your brakes.'),
      variable('story', 'Come by in March: our mechanics check your brakes for free.\nNo appointment needed.'),
      variable('storyUrl', 'https://shop.example.com/news/spring'),
    ],
  },
} satisfies Record<string, Starter>;
