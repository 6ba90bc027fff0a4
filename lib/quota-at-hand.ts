import type { OpenLot, Part } from './quota-lots.ts';

/** A lot that was there when somebody last looked is old, and given back when they look again. */
type Kept = { lot: OpenLot; isOld: boolean };

/** What this process has at hand of one counter; how much it spent since the last look, and between that and the one before. */
type Supply = { kept: Kept[]; spent: number; formerlySpent: number; isRefilled: boolean };

const betweenLooks = 100;
/** Who spends less between two looks takes what is wanted when it is wanted. */
const minAhead = 8;
const maxAhead = 1000;

const supplies = new Map<string, Supply>();
let looking: NodeJS.Timeout | undefined;

/** How many units could be drawn at once. */
export function atHand(name: string): number {
  return Math.max(0, ...(supplies.get(name)?.kept.map(({ lot }) => lot.left()) ?? []));
}

/** A part of what is at hand, of the oldest lot that has as much; null when none has. */
export function drawAtHand(name: string, amount: number): Part | null {
  const kept = supplies.get(name)?.kept.find(({ lot }) => lot.left() >= amount);
  return kept?.lot.part(amount) ?? null;
}

/** How many units are to be taken beyond what is wanted now: as many as were spent in a tenth of a second. */
export function wantedAhead(name: string): number {
  const supply = supplies.get(name);
  return supply ? Math.max(0, aimOf(supply) - newlyKept(supply)) : 0;
}

/** Keeps what is left of a lot at hand, for two tenths of a second at most. */
export function keepAtHand(name: string, lot: OpenLot): void {
  if (lot.left() > 0) supplyOf(name).kept.push({ lot, isOld: false });
  else lot.close();
}

/** Notes what was spent; when what is at hand becomes little, or old, it is refilled meanwhile, once between two looks. */
export function noteSpent(name: string, amount: number, refill: () => void): void {
  const supply = supplyOf(name);
  supply.spent += amount;
  if (supply.isRefilled || newlyKept(supply) >= aimOf(supply) / 2) return;
  supply.isRefilled = true;
  refill();
}

/** Notes that there is too little left to take any of it ahead, until the next look. */
export function noteScarcity(name: string): void {
  supplyOf(name).isRefilled = true;
}

function supplyOf(name: string): Supply {
  const supply = supplies.get(name) ?? { kept: [], spent: 0, formerlySpent: 0, isRefilled: false };
  supplies.set(name, supply);
  looking ??= setInterval(look, betweenLooks).unref();
  return supply;
}

/** Gives back what is at hand of everything. */
export function emptyHands(): void {
  for (const { kept } of supplies.values()) for (const { lot } of kept) lot.close();
  supplies.clear();
}

function aimOf({ spent, formerlySpent }: Supply): number {
  const usual = Math.max(spent, formerlySpent);
  return usual < minAhead ? 0 : Math.min(usual, maxAhead);
}

const newlyKept = ({ kept }: Supply): number => kept.reduce((sum, { lot, isOld }) => sum + (isOld ? 0 : lot.left()), 0);

function look(): void {
  for (const [name, supply] of supplies) {
    const [kept, over] = [[] as Kept[], [] as Kept[]];
    for (const one of supply.kept) (one.isOld || one.lot.left() === 0 ? over : kept).push(one);
    for (const { lot } of over) lot.close();
    supply.kept = kept.map(({ lot }) => ({ lot, isOld: true }));
    const isIdle = supply.spent + supply.formerlySpent + kept.length === 0;
    supply.formerlySpent = supply.spent;
    supply.spent = 0;
    supply.isRefilled = false;
    if (isIdle) supplies.delete(name);
  }
  if (supplies.size > 0) return;
  clearInterval(looking);
  looking = undefined;
}
