import PDFDocument from 'pdfkit';
import { cutText } from '../../../../lib/format/graphemes.ts';
import { formatMoney } from '../../../../lib/format/money.ts';
import type { InvoiceLine, InvoiceParty, InvoiceStatus } from '../../../../models/billing/invoice.ts';
import type { TaxBehavior } from '../../../../models/billing/sold-version.ts';
import type { PrintedInvoice } from './printed-invoice.ts';
import { type Line, typeset } from './typeset.ts';

/** The style of a text: its size in points, its colour, and its alignment to `x`. */
export type Style = { size: number; color: string; align?: 'left' | 'right' };

/** A4 in points, upright. */
export const page = { width: 595.28, height: 841.89, margin: 56 };
export const right = page.width - page.margin;
const footRoom = 40;
const leading = 1.5;

/**
 * Pages that are written from top to bottom; `y` is where the next line begins. Distances are in points from the upper
 * left corner.
 */
export type Sheet = {
  y: number;
  /** Writes a text at `y` without moving `y`; returns the height of the text. */
  write: (text: string, x: number, style: Style, widthMax?: number) => number;
  /** A thin line over the width of the text at `y`. */
  rule: (color: string) => void;
  /** Begins a page unless `height` fits on the present one; returns whether it did. */
  makeRoom: (height: number) => boolean;
  /** Calls `write` on every page with the page number and the page count. */
  onEachPage: (write: (number: number, count: number) => void) => void;
  /** The file's bytes. */
  end: () => Promise<Buffer>;
};

/** A file of one empty page. The same content and `at` make the same bytes. */
export function newSheet(title: string, at: Date): Sheet {
  const document = new PDFDocument({
    size: 'A4',
    margin: 0,
    bufferPages: true,
    lang: 'en',
    displayTitle: true,
    info: { Title: title, CreationDate: at, ModDate: at },
  });
  const bytes = collect(document);
  const sheet: Sheet = {
    y: page.margin,
    write(text, x, style, widthMax = style.align === 'right' ? x - page.margin : right - x) {
      const lines = typeset(text, widthMax / style.size);
      for (const [index, line] of lines.entries()) {
        draw(document, line, x, sheet.y + style.size * (1 + leading * index), style);
      }
      return Math.max(1, lines.length) * style.size * leading;
    },
    rule(color) {
      document.moveTo(page.margin, sheet.y).lineTo(right, sheet.y).lineWidth(0.5).stroke(color);
    },
    makeRoom(height) {
      if (sheet.y + height <= page.height - page.margin - footRoom) return false;
      document.addPage();
      sheet.y = page.margin;
      return true;
    },
    onEachPage(write) {
      const { count } = document.bufferedPageRange();
      for (let number = 1; number <= count; number += 1) {
        document.switchToPage(number - 1);
        write(number, count);
      }
    },
    end() {
      document.end();
      return bytes;
    },
  };
  return sheet;
}

function collect(document: PDFKit.PDFDocument): Promise<Buffer> {
  const chunks: Buffer[] = [];
  return new Promise((resolve, reject) => {
    document.on('data', (chunk: Buffer) => chunks.push(chunk));
    document.on('end', () => resolve(Buffer.concat(chunks)));
    document.on('error', reject);
  });
}

/** Draws a line. Where the drawn text differs from the original, copying and searching yield the original. */
function draw(document: PDFKit.PDFDocument, line: Line, x: number, baseline: number, style: Style): void {
  const { size, color, align } = style;
  let at = align === 'right' ? x - line.width * size : x;
  for (const { text, drawn, face, direction, width } of line.runs) {
    const name = face.postscriptName;
    document
      .registerFont(name, face as never)
      .font(name)
      .fontSize(size)
      .fillColor(color);
    if (drawn !== text) document.markContent('Span', { actual: text });
    // With features a run is laid out as a whole and not by the word; they are handed on to the face as they are.
    const features = [direction] as never;
    document.text(drawn, at, baseline, { lineBreak: false, baseline: 'alphabetic', features });
    if (drawn !== text) document.endMarkedContent();
    at += width * size;
  }
}

const ink = '#111827';
const gray = '#6b7280';
const faint = '#d1d5db';
const title: Style = { size: 24, color: ink };
const text: Style = { size: 10, color: ink };
const label: Style = { size: 9, color: gray };
const total: Style = { size: 14, color: ink };
const atRight = (style: Style): Style => ({ ...style, align: 'right' });

const columnGap = 24;
const columnWidth = (right - page.margin - columnGap) / 2;
const secondColumn = page.margin + columnWidth + columnGap;
/** Where the columns of the table end; the description begins at the margin. */
const columns = { quantity: 350, unitAmount: 445, amount: right };
const descriptionWidth = 240;
const footerHeight = 30;

/** An invoice as a PDF file, in English, with names in any script. The same invoice makes the same bytes. */
export function renderInvoice(invoice: PrintedInvoice): Promise<Buffer> {
  const sheet = newSheet(`${nameOf(invoice)} ${invoice.number ?? ''}`.trim(), invoice.issuedAt ?? invoice.createdAt);
  writeHead(sheet, invoice);
  writeParties(sheet, invoice);
  writeTableHead(sheet);
  for (const line of invoice.lines) writeLine(sheet, line, invoice.currency);
  writeTotals(sheet, invoice);
  sheet.onEachPage((number, count) => writeFooter(sheet, invoice, `Page ${number} of ${count}`));
  return sheet.end();
}

function nameOf({ status }: PrintedInvoice): string {
  return status === 'draft' ? 'Draft of an invoice' : 'Invoice';
}

function writeHead(sheet: Sheet, invoice: PrintedInvoice): void {
  const facts = factsOf(invoice);
  const top = sheet.y;
  for (const [name, value] of facts) {
    sheet.write(name, secondColumn, { ...text, color: gray });
    sheet.y += sheet.write(value, right, atRight(text));
  }
  const bottom = sheet.y;
  sheet.y = top;
  sheet.y = Math.max(bottom, top + sheet.write(nameOf(invoice), page.margin, title)) + 24;
}

const statusNames: Record<InvoiceStatus, string> = {
  draft: 'Draft',
  open: 'To be paid',
  paid: 'Paid',
  void: 'Void',
  uncollectible: 'To be paid',
};

function factsOf({ number, status, issuedAt, dueAt, paidAt }: PrintedInvoice): [name: string, value: string][] {
  const dates: [string, Date | null][] = [
    ['Date', issuedAt],
    ['Due', status === 'paid' || status === 'void' ? null : dueAt],
    ['Paid on', paidAt],
  ];
  return [
    ...(number === null ? [] : ([['Number', number]] as [string, string][])),
    ['Status', statusNames[status]],
    ...dates.flatMap(([name, date]): [string, string][] => (date ? [[name, dayOf(date)]] : [])),
  ];
}

/** A day in UTC as YYYY-MM-DD, the order that cannot be mistaken for another day. */
function dayOf(date: Date): string {
  return date.toISOString().slice(0, 10);
}

function writeParties(sheet: Sheet, { seller, buyer }: PrintedInvoice): void {
  const top = sheet.y;
  writeParty(sheet, 'From', seller, page.margin);
  const bottom = sheet.y;
  sheet.y = top;
  writeParty(sheet, 'To', buyer, secondColumn);
  sheet.y = Math.max(bottom, sheet.y) + 28;
}

function writeParty(sheet: Sheet, role: string, { name, address, taxId }: InvoiceParty, x: number): void {
  sheet.y += sheet.write(role, x, label, columnWidth) + 2;
  sheet.y += sheet.write(name, x, { size: 12, color: ink }, columnWidth);
  for (const line of address) sheet.y += sheet.write(line, x, text, columnWidth);
  if (taxId !== null) sheet.y += sheet.write(`Tax ID ${taxId}`, x, text, columnWidth);
}

function writeTableHead(sheet: Sheet): void {
  sheet.write('Description', page.margin, label);
  sheet.write('Quantity', columns.quantity, atRight(label));
  sheet.write('Unit price', columns.unitAmount, atRight(label));
  sheet.y += sheet.write('Amount', columns.amount, atRight(label)) + 4;
  sheet.rule(faint);
  sheet.y += 6;
}

const maxRowHeight = 120;

function writeLine(sheet: Sheet, { description, quantity, unitAmount, amount, period }: InvoiceLine, currency: string) {
  if (sheet.makeRoom(maxRowHeight)) writeTableHead(sheet);
  sheet.write(quantity.toLocaleString('en'), columns.quantity, atRight(text));
  sheet.write(formatMoney(unitAmount, currency), columns.unitAmount, atRight(text));
  sheet.write(formatMoney(amount, currency), columns.amount, atRight(text));
  sheet.y += sheet.write(description, page.margin, text, descriptionWidth);
  if (period) sheet.y += sheet.write(periodText(period), page.margin, label, descriptionWidth);
  sheet.y += 6;
}

/** The first and the last day of a period, whose end is excluded. */
function periodText({ start, end }: { start: Date; end: Date }): string {
  return `${dayOf(start)} to ${dayOf(new Date(end.getTime() - 1))}`;
}

const taxSentences: Record<TaxBehavior, string> = { inclusive: 'Prices include all taxes.' };

function writeTotals(sheet: Sheet, { taxes, taxBehavior, amount, currency }: PrintedInvoice): void {
  const rowHeight = 24;
  if (!sheet.makeRoom(rowHeight * (2 + 2 * taxes.length))) sheet.rule(faint);
  sheet.y += 8;
  for (const { name, rate, net, amount: tax } of taxes) {
    writeSum(sheet, 'Without tax', formatMoney(net, currency), text);
    writeSum(sheet, `${name} ${rate} %`, formatMoney(tax, currency), text);
  }
  sheet.y += 4;
  writeSum(sheet, 'Total', formatMoney(amount, currency), total);
  // Not on older invoices: what was sent is printed as it was.
  if (taxBehavior) sheet.y += sheet.write(taxSentences[taxBehavior], secondColumn, label);
}

function writeSum(sheet: Sheet, name: string, sum: string, style: Style): void {
  sheet.write(name, secondColumn, style);
  sheet.y += sheet.write(sum, right, atRight(style));
}

function writeFooter(sheet: Sheet, { seller, number }: PrintedInvoice, pageText: string): void {
  sheet.y = page.height - page.margin - footerHeight / 2;
  sheet.rule(faint);
  sheet.y += 6;
  const [width, numberText] = [columnWidth * 1.5, number === null ? '' : ` · ${number}`];
  sheet.write(cutText(seller.name, 60), page.margin, label, width);
  sheet.write(`${pageText}${numberText}`, right, atRight(label));
}
