import { dumpProperties } from "./properties.ts";

dumpProperties(100);
