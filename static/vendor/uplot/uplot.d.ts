/** What the type checker has to know of uPlot. */
declare const UPlot: any;
export default UPlot;
