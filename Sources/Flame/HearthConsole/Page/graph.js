// A graph of one or two numbers over the last hour, drawn as SVG; the pointer and the arrow keys read it.

import { draw, make, replace } from "./dom.js";

const WIDTH = 400;
const HEIGHT = 132;
const LEFT = 46;
const BOTTOM = 18;
const TOP = 6;
const PLOT_HEIGHT = HEIGHT - BOTTOM - TOP;
const MINUTE_MILLISECONDS = 60_000;
/** How much of the last hour is shown: as much as there are samples of. */
const SPANS_MINUTES = [5, 15, 30, 60];
/** Samples nearer than this are one line; a longer silence is a gap. The daemon keeps a step for every ten seconds. */
const GAP_MILLISECONDS = 20_000;
const BUCKET_COUNT = 180;

/** One graph. `series` has a name and a way to take the number from a sample, for each line. */
export class Graph {
    constructor({ title, series, text, floor = 1 }) {
        this.title = title;
        this.series = series;
        this.text = text;
        this.floor = floor;
        this.samples = [];
        this.keys = series.map((_, index) => make(index ? "span.key.second" : "span.key", {}));
        this.svg = draw("svg", {
            viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", role: "img", tabindex: "0",
            onpointermove: (event) => this.point(event), onpointerleave: () => this.read(null),
            onkeydown: (event) => this.step(event), onblur: () => this.read(null),
        });
        this.cursor = draw("line.cursor", { y1: TOP, y2: HEIGHT - BOTTOM, visibility: "hidden" });
        this.element = make("section.panel.graph", {}, make("div.graph-head", {}, make("h3", {}, title), this.keys), this.svg);
        this.resize = new ResizeObserver(() => this.draw());
        this.resize.observe(this.svg);
    }

    /** Shows samples, oldest first. */
    show(samples) {
        this.samples = samples;
        this.draw();
    }

    /** Takes the graph from the page. */
    close() {
        this.resize.disconnect();
    }

    draw() {
        this.width = this.svg.clientWidth || WIDTH;
        this.end = Math.max(Date.now(), Date.parse(this.samples.at(-1)?.at ?? 0));
        const first = Date.parse(this.samples[0]?.at ?? 0) || this.end;
        this.minutes = SPANS_MINUTES.find((minutes) => this.end - first <= minutes * MINUTE_MILLISECONDS) ?? SPANS_MINUTES.at(-1);
        this.span = this.minutes * MINUTE_MILLISECONDS;
        const lines = this.series.map(({ of }) => this.buckets(of));
        const top = niceTop(Math.max(this.floor, ...lines.flat().map((point) => point.most)));
        this.svg.setAttribute("viewBox", `0 0 ${this.width} ${HEIGHT}`);
        replace(this.svg, this.grid(top), lines.flatMap((line, index) => this.paths(line, top, index + 1)), this.cursor);
        this.read(this.at ? this.nearest(this.at) : null);  // Who reads a moment reads on while the graph grows.
    }

    get plotWidth() {
        return this.width - LEFT - 2;
    }

    x(time) {
        return LEFT + this.plotWidth * (1 - (this.end - time) / this.span);
    }

    // An hour has more samples than the graph has pixels: each bucket keeps its greatest number, so that no peak is lost.
    buckets(of) {
        const points = [];
        const width = this.span / BUCKET_COUNT;
        let bucket = null;
        for (const sample of this.samples) {
            const time = Date.parse(sample.at);
            const number = of(sample);
            if (number === null || number === undefined || this.end - time > this.span) continue;
            const place = Math.floor(time / width);
            if (bucket?.place === place) {
                bucket.most = Math.max(bucket.most, number);
                bucket.until = time;
            } else {
                bucket = { place, time, until: time, most: number };
                points.push(bucket);
            }
        }
        return points;
    }

    grid(top) {
        const lines = [0, 0.5, 1].flatMap((part) => {
            const y = TOP + PLOT_HEIGHT * (1 - part);
            return [
                draw("line.grid", { x1: LEFT, x2: this.width - 2, y1: y, y2: y }),
                draw("text", { x: LEFT - 6, y: y + 4, "text-anchor": "end" }, this.text(top * part)),
            ];
        });
        const times = [this.minutes, this.minutes / 2, 0].map((minutes) => draw("text", {
            x: this.x(this.end - minutes * MINUTE_MILLISECONDS), y: HEIGHT - 3,
            "text-anchor": minutes === this.minutes ? "start" : minutes ? "middle" : "end",
        }, minutes ? `−${minutes} min` : "now"));
        return [...lines, ...times];
    }

    paths(points, top, number) {
        const runs = [];
        for (const point of points) {
            const y = TOP + PLOT_HEIGHT * (1 - Math.min(1, point.most / top));
            const place = `${this.x(point.time).toFixed(1)},${y.toFixed(1)}`;
            const last = runs.at(-1);
            if (last && point.time - last.until < GAP_MILLISECONDS) last.places.push(place);
            else runs.push({ places: [place], from: this.x(point.time) });
            runs.at(-1).places.push(`${Math.max(this.x(point.until), this.x(point.time) + 1).toFixed(1)},${y.toFixed(1)}`);
            Object.assign(runs.at(-1), { until: point.until, to: Math.max(this.x(point.until), this.x(point.time) + 1) });
        }
        const base = TOP + PLOT_HEIGHT;
        return runs.flatMap(({ places, from, to }) => [
            draw(`path.area.series-${number}`, { d: `M${from.toFixed(1)},${base}L${places.join("L")}L${to.toFixed(1)},${base}Z` }),
            draw(`path.series-${number}`, { d: `M${places.join("L")}` }),
        ]);
    }

    point(event) {
        const box = this.svg.getBoundingClientRect();
        const time = this.end - (1 - (event.clientX - box.left - LEFT) / this.plotWidth) * this.span;
        this.read(this.nearest(time));
    }

    nearest(time) {
        let low = 0;
        let high = this.samples.length;
        while (low < high) {
            const middle = (low + high) >> 1;
            if (Date.parse(this.samples[middle].at) < time) low = middle + 1;
            else high = middle;
        }
        return low < this.samples.length ? low : null;
    }

    step(event) {
        const steps = { ArrowLeft: -10, ArrowRight: 10, Home: -Infinity, End: Infinity };
        if (!(event.key in steps) || !this.samples.length) return;
        event.preventDefault();
        const last = this.samples.length - 1;
        this.read(Math.max(0, Math.min(last, (this.place ?? last) + steps[event.key])));
    }

    // Tells the numbers of one moment, or, without one, those of now.
    read(place) {
        this.place = place;
        this.at = place === null ? null : Date.parse(this.samples[place].at);
        const sample = this.samples[place ?? this.samples.length - 1];
        const texts = this.series.map(({ name, of }) => {
            const number = sample && of(sample);
            return [name, number === null || number === undefined ? "–" : this.text(number)];
        });
        texts.forEach(([name, text], index) => replace(this.keys[index], name && `${name} `, make("b", {}, text)));
        const when = place === null ? "now" : new Date(sample.at).toLocaleTimeString("en-GB");
        this.svg.setAttribute("aria-label", `${this.title}, ${when}: ${texts.map(([name, text]) => `${name} ${text}`).join(", ")}`);
        const x = place === null ? 0 : this.x(Date.parse(sample.at));
        this.cursor.setAttribute("x1", x);
        this.cursor.setAttribute("x2", x);
        this.cursor.setAttribute("visibility", place === null || x < LEFT ? "hidden" : "visible");
    }
}

// The next of 1, 2, 5, 10, … that is not below a number, so that the lines of the grid have short names.
function niceTop(number) {
    const power = 10 ** Math.floor(Math.log10(number));
    return [1, 2, 5, 10].map((digit) => digit * power).find((top) => top >= number * 0.999);
}
