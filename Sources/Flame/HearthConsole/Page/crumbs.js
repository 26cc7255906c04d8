// The way to a path, each step a link.

import { make } from "./dom.js";
import { hrefTo } from "./route.js";

/** The steps from a database to a path of a collection, a document or a node. `more` has further parameters of the steps. */
export function crumbs(db, path, more = {}) {
    const isNode = path?.startsWith("/");
    const segments = (path ?? "").split("/").filter(Boolean);
    const steps = segments.map((segment, place) => {
        const above = (isNode ? "/" : "") + segments.slice(0, place + 1).join("/");
        const isLast = place === segments.length - 1;
        return make("li", {}, isLast ? make("span", { "aria-current": "page" }, segment)
            : make("a", { href: hrefTo("data", { db, path: above, ...more }) }, segment));
    });
    return make("nav.grow", { "aria-label": "Path" },
        make("ol.crumbs", {}, make("li", {}, make("a", { href: hrefTo("data", { db, ...more }) }, db)), steps));
}
