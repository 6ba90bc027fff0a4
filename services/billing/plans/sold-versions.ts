import { now } from '../../../lib/data/clock.ts';
import { insertIfAbsent } from '../../../lib/data/collection.ts';
import { StartError } from '../../../lib/settings/start-error.ts';
import {
  billingCycles,
  currencies,
  type Entitlements,
  type SoldVersionDocument,
  SoldVersionModel,
} from '../../../models/billing/sold-version.ts';
import { type Plan, plans as plansOfToday } from './plans.ts';

type Named = Pick<Plan, 'name' | 'version'>;

const idOf = ({ name, version }: Named): string => `${name}@${version}`;

/** Records the entitlements and prices of a version, before an organization gets it. */
export async function recordSold(plan: Plan): Promise<void> {
  const { entitlements, prices } = plan;
  const document = { _id: idOf(plan), entitlements, prices, soldAt: now() };
  await insertIfAbsent<SoldVersionDocument>(SoldVersionModel, document);
}

/**
 * The entitlements of a version that this node's plans do not have, because a newer node sold it; null for one never
 * sold.
 */
export async function soldEntitlements(plan: Named): Promise<Entitlements | null> {
  const sold = await SoldVersionModel.findById(idOf(plan)).lean<SoldVersionDocument>();
  return sold?.entitlements ?? null;
}

/**
 * Checks at the start of the service that every version that was ever sold still exists, with at least its recorded
 * entitlements and at the same price. An increase since then becomes the recorded promise.
 *
 * @throws StartError naming each version that is gone, includes less or costs something else, and what of it.
 */
export async function requireSoldVersions(plans: readonly Plan[] = plansOfToday): Promise<void> {
  const sold = await SoldVersionModel.find({}).sort({ _id: 1 }).lean<SoldVersionDocument[]>();
  const broken = sold.flatMap((document) => describeBreach(document, planOf(document, plans)));
  if (broken.length > 0) {
    throw new StartError(
      `The plans break what was sold: ${broken.join('; ')}. Put it back as it was; a change is a new version.`,
    );
  }
  for (const document of sold) {
    const { entitlements, prices } = planOf(document, plans) ?? document;
    await SoldVersionModel.updateOne({ _id: document._id }, { $set: { entitlements, prices } });
  }
}

function planOf({ _id }: SoldVersionDocument, plans: readonly Plan[]): Plan | undefined {
  return plans.find((plan) => idOf(plan) === _id);
}

/** Lists how a plan breaks the promises of a sold version, as parts of a sentence. */
export function describeBreach(
  { _id, entitlements, prices }: Pick<SoldVersionDocument, '_id' | 'entitlements' | 'prices'>,
  plan: Pick<Plan, 'entitlements' | 'prices'> | undefined,
): string[] {
  if (!plan) return [`${_id} is gone`];
  const lowered = Object.entries(entitlements).flatMap(([group, promised]) =>
    lessThan(promised, plan.entitlements[group as keyof Entitlements]).map((limit) => `${_id} lowers ${group}${limit}`),
  );
  const repriced = billingCycles.flatMap((cycle) =>
    currencies
      .filter((currency) => isPriceChanged(prices[cycle]?.[currency], plan.prices[cycle][currency]))
      .map((currency) => `${_id} changes its ${cycle} price in ${currency}`),
  );
  return [...lowered, ...repriced];
}

/** Whether a sold price differs today. A currency that was added later is not a breach. */
function isPriceChanged(sold: number | undefined, today: number): boolean {
  return sold !== undefined && sold !== today;
}

type AnyGroup = Record<string, boolean | number | string[]> & { enabled: boolean };

/** The limits, each after a dot, that a group lowered; an empty text where the whole group is missing. */
function lessThan(promised: AnyGroup, group: AnyGroup | undefined): string[] {
  if (!promised.enabled) return [];
  if (!group?.enabled) return [''];
  const names = Object.keys(promised).filter((name) => isLess(group[name], promised[name]));
  return names.map((name) => `.${name}`);
}

function isLess(value: AnyGroup[string] | undefined, promised: AnyGroup[string] | undefined): boolean {
  if (typeof promised === 'number') return !(typeof value === 'number' && value >= promised);
  if (Array.isArray(promised)) return !(Array.isArray(value) && promised.every((item) => value.includes(item)));
  return false;
}
