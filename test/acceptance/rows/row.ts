/**
 * A row, rule or limit of the specification or of its decisions; `from` names the place it is taken from. It has exactly
 * one test in the acceptance suite, unless `proven` names the file that shows what no caller of a running platform can
 * bring about: a mail that is read, time that passes. A row with a `route` stands for an operation of the OpenAPI
 * document.
 */
export type Row = { from: string; says: string; route?: string; proven?: string };
