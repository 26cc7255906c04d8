// The section "Data": a tree of everything the cache knows or the backend lists, and beside it a collection, a document, a query or a node.

import { get } from "./api.js";
import { CollectionView } from "./collection.js";
import { DocumentView } from "./document.js";
import { emptyState, make, replace, segments, waiting } from "./dom.js";
import { KeysView } from "./keys.js";
import { NodeView } from "./node.js";
import { QuerySection } from "./query.js";
import { go, hrefTo } from "./route.js";
import { Tree } from "./tree.js";

/** Collections that the tree shows at most; behind them a path is typed. */
const TREE_COLLECTION_COUNT_MAX = 1000;
const TREE_PAGE_SIZE = 200;
const TREE_MILLISECONDS = 3_000;

/** The whole section. */
export class DataSection {
    constructor(daemon, parameters) {
        this.daemon = daemon;
        this.title = "Data";
        this.ending = new AbortController();
        this.tree = new Tree("Databases", ({ href }) => { location.hash = href; });
        this.place = make("div", {}, waiting("Asking for the databases…"));
        this.goTo = make("input", {
            type: "text", placeholder: "Go to a path, such as rooms/hall", "aria-label": "Go to a path", autocomplete: "off",
            spellcheck: "false",
            name: "path",
        });
        const form = make("form.panel-head", { onsubmit: (event) => this.submit(event) }, this.goTo);
        this.source = "cache";
        this.listed = new Map();
        this.note = make("p.quiet.small", { hidden: true }, "Names as the backend lists them, once, when a line is opened: "
            + `collections at the top, and the keys of a place, ${TREE_PAGE_SIZE} at a time, without values. Cache and Backend again ask anew.`);
        this.sources = make("div.panel-head", { hidden: true }, segments("Names from",
            [["cache", "Cache"], ["default", "Backend"]], this.source, (source) => this.list(source)), this.note);
        this.element = make("div", {}, make("h1.unseen", {}, "Data"), make("div.browser", {},
            make("nav.panel", { "aria-label": "Data" }, form, this.sources, this.tree.element), this.place));
        this.update(parameters);
        daemon.on("overview", () => this.heard(), this.ending.signal);
        this.grow();
    }

    close() {
        this.ending.abort();
        this.view?.close();
    }

    update(parameters) {
        this.parameters = parameters;
        const database = this.daemon.database(parameters.db);
        if (!database) return true;
        this.database = database;
        const isShown = this.view && this.kindOf(parameters) === this.kind && this.view.update(database, parameters);
        if (!isShown) this.show(parameters);
        this.title = parameters.path || database.db;
        this.tree.mark(treeID(database.db, parameters.path));
        return true;
    }

    kindOf({ path, view }) {
        if (this.database.service !== "firestore") return view === "keys" ? KeysView : NodeView;
        if (view === "query") return QuerySection;
        if (!path) return RootView;
        return path.split("/").length % 2 ? CollectionView : DocumentView;
    }

    show(parameters) {
        this.view?.close();
        this.kind = this.kindOf(parameters);
        this.view = new this.kind(this.database, parameters);
        replace(this.place, this.view.element);
    }

    submit(event) {
        event.preventDefault();
        const path = this.goTo.value.trim();
        if (this.database) go("data",
            { db: this.database.db, path: this.database.service === "firestore" ? path.replace(/^\/+|\/+$/g, "")
            : `/${path.replace(/^\/+|\/+$/g, "")}` });
    }

    // The tree follows the cache, but not at each change.
    heard() {
        if (!this.database) this.update(this.parameters);
        const sign = JSON.stringify(this.daemon.databases.map(({ db, cachedDocuments, queueBatches, shape }) =>
            [db, cachedDocuments, queueBatches > 0, shape]));
        if (sign === this.treeSign || this.timer) return;
        const delay = this.treeSign === undefined ? 0 : TREE_MILLISECONDS;
        this.timer = setTimeout(() => {
            this.timer = null;
            this.grow();
        }, delay);
        this.treeSign = sign;
    }

    // Has the tree show what the cache knows, or what the backend lists.
    list(source) {
        this.source = source;
        this.note.hidden = source === "cache";
        this.listed = new Map();
        this.grow();
    }

    async grow() {
        if (this.ending.signal.aborted || !this.daemon.databases.length) return;
        this.sources.hidden = !this.daemon.databases.some(({ hasCache }) => hasCache !== false);
        if (!this.tree.open.size) this.tree.open.add(treeID(this.database.db, ""));
        await this.tree.show(this.daemon.databases.map((database) => this.root(database)));
    }

    root(database) {
        const isFirestore = database.service === "firestore";
        return {
            id: treeID(database.db, ""), text: isFirestore ? database.db : database.db.replace(/^https?:\/\//, ""),
            title: database.db, href: hrefTo("data", { db: database.db, view: isFirestore || this.source === "cache" ? null : "keys" }),
            load: isFirestore ? () => this.collections(database.db) : () => this.nodes(database.db, "/"),
        };
    }

    // The flat list of paths becomes a tree: collections, and between them the documents that have some.
    async collections(db) {
        if (this.source !== "cache") return this.backendCollections(db);
        const paths = [];
        let page = { hasMore: true };
        while (page.hasMore && paths.length < TREE_COLLECTION_COUNT_MAX) {
            page = await get("collections", { db, after: paths.at(-1), pageSize: TREE_PAGE_SIZE });
            paths.push(...page.collections);
        }
        const top = { children: new Map() };
        for (const path of paths) plant(top, path.split("/"));
        const items = treeItems(db, top, []);
        if (page.hasMore) items.push({ id: `${db} more`, text: "more: go to a path above",
            title: "The tree shows the first collections only." });
        return items;
    }

    // The backend is asked once for a list, because it bills the answer: not again when the tree grows with the cache.
    async askedOnce(route, parameters) {
        const sign = JSON.stringify([route, parameters]);
        if (!this.listed.has(sign)) this.listed.set(sign, get(route, parameters));
        try {
            return await this.listed.get(sign);
        } catch (error) {
            this.listed.delete(sign);
            throw error;
        }
    }

    async backendCollections(db) {
        const { collections, hasMore } = await this.askedOnce("collections", { db, source: this.source });
        const items = collections.map((path) => ({
            id: treeID(db, path), text: path, title: path, load: null, href: hrefTo("data", { db, path, source: this.source }),
        }));
        if (hasMore) items.push({ id: `${db} more`, text: "more: go to a path above", title: "The backend's first collections only." });
        return items;
    }

    async nodes(db, path) {
        if (this.source !== "cache") return this.backendNodes(db, path);
        const { children, next } = await get("node", { db, path, source: "cache", pageSize: TREE_PAGE_SIZE });
        const items = children.map(({ key, kind }) => {
            const inner = `${path === "/" ? "" : path}/${key}`;
            return {
                id: treeID(db, inner), text: key, href: hrefTo("data", { db, path: inner }),
                load: kind === "object" ? () => this.nodes(db, inner) : null,
            };
        });
        if (next) items.push({ id: treeID(db, `${path} more`), text: "more…",
            href: hrefTo("data", { db, path, after: children.at(-1).key }) });
        return items;
    }

    // The next part of a long list lies below its last line.
    async backendNodes(db, path, after) {
        const { children, next } = await this.askedOnce("node/keys", { db, path, after, pageSize: TREE_PAGE_SIZE });
        const items = children.map(({ key, mayHaveChildren }) => {
            const inner = `${path === "/" ? "" : path}/${key}`;
            return {
                id: treeID(db, inner), text: key, href: hrefTo("data", { db, path: inner, view: mayHaveChildren ? "keys" : null }),
                load: mayHaveChildren ? () => this.backendNodes(db, inner) : null,
            };
        });
        if (next) items.push({ id: `${treeID(db, path)} behind ${next}`, text: "more…", title: `The keys behind ${next}`,
            load: () => this.backendNodes(db, path, next) });
        return items;
    }
}

function treeID(db, path) {
    return `${db} ${path === "/" ? "" : path ?? ""}`;
}

function plant(node, segments) {
    for (const segment of segments) {
        if (!node.children.has(segment)) node.children.set(segment, { children: new Map() });
        node = node.children.get(segment);
    }
}

function treeItems(db, node, above) {
    return [...node.children].map(([name, inner]) => {
        const path = [...above, name];
        return {
            id: treeID(db, path.join("/")), text: name, title: path.join("/"), href: hrefTo("data", { db, path: path.join("/") }),
            load: inner.children.size ? async () => treeItems(db, inner, path) : null,
        };
    });
}

/** A database of Firestore, before anything in it was chosen. */
class RootView {
    constructor(database) {
        this.element = make("section.panel");
        this.update(database);
    }

    update(database) {
        replace(this.element, make("div.panel-head", {}, make("h2.break.grow", {}, database.db),
            make("a.button", { href: hrefTo("data", { db: database.db, view: "query" }) }, "Query")),
        emptyState("Choose a collection", database.hasCache === false
            ? "The tree shows the collections that hold documents. A new one begins with its first document: type its path above the tree."
            : "The tree shows the collections that some program here has read of or written to. "
            + "The backend's own list has those at the top that nobody here has touched; Google bills a read for it. "
            + "Any other path can be typed above the tree; its documents come from the backend."));
        return true;
    }

    close() {}
}
