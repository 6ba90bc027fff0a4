/** A link and its label. */
export type MailLink = { label: string; link: string };

/**
 * The content of one of the platform's own mails, as plain text: `renderMail` escapes all of it, so a template cannot
 * forget to.
 */
export type MailContent = {
  subject: string;
  heading: string;
  paragraphs: string[];
  button?: MailLink;
  /** An alternative, in a sentence that ends before its link. */
  alternative?: MailLink;
  /** A sentence for recipients who did not request this mail. */
  unasked: string;
};
