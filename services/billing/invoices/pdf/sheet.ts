import PDFDocument from 'pdfkit';
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
