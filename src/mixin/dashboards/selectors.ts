/** Of any process that is scraped. */
export const PROCESS = 'cluster=~"$cluster", namespace=~"$namespace", job=~"$job", instance=~"$instance"';

/** Of one controller in it. */
export const CONTROLLER: string = `${PROCESS}, controller=~"$controller"`;

/** Of families whose label `namespace` is that of the object, not of the process. */
export const OBJECTS = 'cluster=~"$cluster", job=~"$job", instance=~"$instance"';

/** The range of a rate: as long as the panel's resolution and the scrape interval need. */
export const RATE = "[$__rate_interval]";

/** The three quantiles of a histogram that people look at. */
export function quantiles(
  family: string,
  selector: string,
  by: string,
): { expr: string; legend: string; exemplar: boolean }[] {
  return [0.5, 0.9, 0.99].map((quantile) => ({
    expr: `histogram_quantile(${quantile}, sum by (le, ${by}) (rate(${family}_bucket{${selector}}${RATE})))`,
    legend: `p${quantile * 100} ${by
      .split(", ")
      .map((label) => `{{${label}}}`)
      .join(" ")}`,
    exemplar: quantile === 0.99,
  }));
}
