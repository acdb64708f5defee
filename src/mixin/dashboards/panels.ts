import {
  LegendDisplayMode,
  LegendPlacement,
  SortOrder,
  StackingMode,
  TooltipDisplayMode,
} from "@grafana/grafana-foundation-sdk/common";
import {
  StackingConfigBuilder,
  VizLegendOptionsBuilder,
  VizTooltipOptionsBuilder,
} from "@grafana/grafana-foundation-sdk/common";
import { DataqueryBuilder, PromQueryFormat } from "@grafana/grafana-foundation-sdk/prometheus";
import { PanelBuilder as StatBuilder } from "@grafana/grafana-foundation-sdk/stat";
import { PanelBuilder as TableBuilder } from "@grafana/grafana-foundation-sdk/table";
import { PanelBuilder as TimeseriesBuilder } from "@grafana/grafana-foundation-sdk/timeseries";

/** Every query goes to the data source that the user picked. */
export const DATASOURCE: { readonly type: string; readonly uid: string } = { type: "prometheus", uid: "${datasource}" };

interface Query {
  readonly expr: string;
  readonly legend: string;
  /** Show dots that lead to traces. */
  readonly exemplar?: boolean;
}

export interface PanelOptions {
  readonly title: string;
  /** What is seen here and when to worry. */
  readonly description: string;
  /** A unit of Grafana: "s", "ops", "short"... */
  readonly unit: string;
  /** Of 24 columns; 8 unless given. */
  readonly width?: number;
  readonly stacked?: boolean;
  readonly queries: readonly Query[];
}

export type Panel = TimeseriesBuilder | StatBuilder | TableBuilder;

export function lines(options: PanelOptions): TimeseriesBuilder {
  const panel = new TimeseriesBuilder()
    .title(options.title)
    .description(options.description)
    .datasource(DATASOURCE)
    .unit(options.unit)
    .min(0)
    .span(options.width ?? 8)
    .height(8)
    .lineWidth(1)
    .fillOpacity(options.stacked ? 40 : 5)
    .legend(
      new VizLegendOptionsBuilder()
        .showLegend(true)
        .displayMode(LegendDisplayMode.Table)
        .placement(LegendPlacement.Bottom)
        .calcs(["lastNotNull", "max"]),
    )
    .tooltip(new VizTooltipOptionsBuilder().mode(TooltipDisplayMode.Multi).sort(SortOrder.Descending))
    .targets(targets(options.queries));
  return options.stacked ? panel.stacking(new StackingConfigBuilder().mode(StackingMode.Normal)) : panel;
}

/** One number. */
export function stat(options: Omit<PanelOptions, "stacked">): StatBuilder {
  return new StatBuilder()
    .title(options.title)
    .description(options.description)
    .datasource(DATASOURCE)
    .unit(options.unit)
    .min(0)
    .span(options.width ?? 4)
    .height(4)
    .noValue("-")
    .targets(targets(options.queries));
}

/** One row a series, as of now: its labels and its value. */
export function table(options: Omit<PanelOptions, "stacked"> & { readonly valueTitle: string }): TableBuilder {
  const [query] = options.queries;
  return new TableBuilder()
    .title(options.title)
    .description(options.description)
    .datasource(DATASOURCE)
    .unit(options.unit)
    .min(0)
    .span(options.width ?? 24)
    .height(10)
    .targets([
      target(query as Query, 0)
        .instant()
        .format(PromQueryFormat.Table),
    ])
    .withTransformation({
      id: "organize",
      options: { excludeByName: { Time: true }, renameByName: { Value: options.valueTitle } },
    });
}

function targets(queries: readonly Query[]): DataqueryBuilder[] {
  return queries.map((query, at) => target(query, at));
}

function target({ expr, legend, exemplar = false }: Query, at: number): DataqueryBuilder {
  return new DataqueryBuilder()
    .datasource(DATASOURCE)
    .refId(String.fromCharCode("A".charCodeAt(0) + at))
    .expr(expr)
    .legendFormat(legend)
    .exemplar(exemplar)
    .range();
}
