// Checks a page with axe-core and names its serious and critical faults.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const source = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

// The page's content-security policy does not apply to what the driver evaluates. `preload` would fetch styles.
export async function serious(page, name) {
  await page.evaluate(`${source};0`);
  const violations = await page.evaluate(async () => (await window.axe.run(document, { preload: false, resultTypes: ["violations"] })).violations);
  return violations
    .filter((found) => ["serious", "critical"].includes(found.impact))
    .map((found) => `${name}: axe, ${found.id}: ${found.help} (${found.nodes.length} places, first ${found.nodes[0].html.slice(0, 160)}: ${found.nodes[0].any.concat(found.nodes[0].all)[0]?.message ?? ""})`);
}
