/*
 * Imported before a node: its clock says CLOCK_AT at the real instant CLOCK_FROM, in milliseconds, and goes on from
 * there. SIGUSR2 lets it jump by CLOCK_JUMP milliseconds.
 */
const RealDate = Date;
let offset = Date.parse(process.env.CLOCK_AT) - Number(process.env.CLOCK_FROM);

class TurnedDate extends RealDate {
  constructor(...args) {
    if (args.length === 0) super(RealDate.now() + offset);
    else super(...args);
  }

  static now() {
    return RealDate.now() + offset;
  }
}

// Mongoose knows the type by its name.
globalThis.Date = Object.defineProperty(TurnedDate, 'name', { value: 'Date' });

process.on('SIGUSR2', () => {
  offset += Number(process.env.CLOCK_JUMP ?? 0);
});
