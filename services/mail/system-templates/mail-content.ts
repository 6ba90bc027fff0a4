/** A link and its label. */
export type MailLink = { label: string; link: string };

/**
 * The content of one of the platform's own mails, as plain texts: `renderMail` escapes each of them, so a template
 * cannot forget to.
 */
export type MailContent = {
  subject: string;
  heading: string;
  paragraphs: string[];
  button?: MailLink;
  /** An alternative, in a sentence that ends before its link. */
  alternative?: MailLink;
  /** What the recipient can do if they did not ask for this mail. */
  unasked: string;
};
