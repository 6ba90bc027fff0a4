/** A link with the words it stands under. */
export type MailLink = { label: string; link: string };

/**
 * What a mail of the platform's own says, as plain texts: `renderMail` escapes each of them, so a template cannot
 * forget to.
 */
export type MailContent = {
  subject: string;
  heading: string;
  paragraphs: string[];
  button?: MailLink;
  /** An alternative, in a sentence that ends before its link. */
  alternative?: MailLink;
  /** What to do when one did not ask for this mail. */
  unasked: string;
};
