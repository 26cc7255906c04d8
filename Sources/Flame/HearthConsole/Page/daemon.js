// The daemon as the console last heard of it: one overview and the last hour, kept for every section of the page.

import { connection, get, Stream } from "./api.js";

/** Samples that are kept: one a second for an hour. */
export const SAMPLE_COUNT_MAX = 3600;

/** What is known of the daemon. Tells "overview", "sample", "session" and "history" when something of it is new. */
export class Daemon extends EventTarget {
    constructor() {
        super();
        this.overview = null;
        this.session = null;
        this.samples = [];
        this.stream = new Stream("overview", {}, {
            overview: (overview) => this.took(overview),
            sample: (sample) => this.sampled(sample),
            failed: (error) => this.took({ daemon: { isReachable: false, error }, databases: [] }),
        });
        connection.addEventListener("found", () => this.load());
        this.load();
    }

    /** Every database and instance that this user may see. */
    get databases() {
        return this.overview?.databases ?? [];
    }

    /** The database of a name; the first one if there is none of this name. */
    database(db) {
        return this.databases.find((database) => database.db === db) ?? this.databases[0];
    }

    took(overview) {
        this.overview = overview;
        this.takenAt = Date.now();
        this.dispatchEvent(new Event("overview"));
    }

    sampled(sample) {
        if (sample.at === this.samples.at(-1)?.at) return;
        this.samples.push(sample);
        if (this.samples.length > SAMPLE_COUNT_MAX) this.samples.splice(0, this.samples.length - SAMPLE_COUNT_MAX);
        this.dispatchEvent(new Event("sample"));
    }

    // What was missed while the page was hidden is in the history.
    async load() {
        try {
            this.session = await get("session");
            this.dispatchEvent(new Event("session"));
            const history = await get("history");
            const last = history.samples.at(-1)?.at ?? "";
            this.samples = [...history.samples, ...this.samples.filter((sample) => sample.at > last)].slice(-SAMPLE_COUNT_MAX);
            this.dispatchEvent(new Event("history"));
        } catch {
            // The banner tells; the stream comes back by itself, and "found" loads again.
        }
    }

    /** Listens until `signal` is aborted. */
    on(kinds, listener, signal) {
        for (const kind of kinds.split(" ")) this.addEventListener(kind, listener, { signal });
    }
}
