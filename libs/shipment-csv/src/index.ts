export { charsets, isCharset, layouts, operations } from './shipment.js';
export type { Charset, FaultCode, Layout, Operation, RowFault, Shipment, ShipmentReport, ShipmentRow } from './shipment.js';
export { defaultLimits, type ShipmentLimits } from './shipment-limits.js';
export { readShipment, type ReadOptions } from './read-shipment.js';
export { rowFaultsCsv } from './faults/row-faults-csv.js';
export { maxSkuBytes } from './rows/sku.js';
export { isWarehouse } from './rows/warehouse.js';
