// The files of Sources/Flame/HearthConsole/Page, as they are. The compiler reads them itself, so that a build
// needs no step of its own and no array of numbers. A new file is an #embed and a row of the table.
#include "CPage.h"

static const unsigned char api_js[] = {
#embed "../../Flame/HearthConsole/Page/api.js"
};

static const unsigned char app_js[] = {
#embed "../../Flame/HearthConsole/Page/app.js"
};

static const unsigned char asker_js[] = {
#embed "../../Flame/HearthConsole/Page/asker.js"
};

static const unsigned char batchediting_js[] = {
#embed "../../Flame/HearthConsole/Page/batchediting.js"
};

static const unsigned char batches_js[] = {
#embed "../../Flame/HearthConsole/Page/batches.js"
};

static const unsigned char changes_js[] = {
#embed "../../Flame/HearthConsole/Page/changes.js"
};

static const unsigned char collection_js[] = {
#embed "../../Flame/HearthConsole/Page/collection.js"
};

static const unsigned char comparison_js[] = {
#embed "../../Flame/HearthConsole/Page/comparison.js"
};

static const unsigned char coverage_js[] = {
#embed "../../Flame/HearthConsole/Page/coverage.js"
};

static const unsigned char crumbs_js[] = {
#embed "../../Flame/HearthConsole/Page/crumbs.js"
};

static const unsigned char daemon_js[] = {
#embed "../../Flame/HearthConsole/Page/daemon.js"
};

static const unsigned char data_js[] = {
#embed "../../Flame/HearthConsole/Page/data.js"
};

static const unsigned char dialog_js[] = {
#embed "../../Flame/HearthConsole/Page/dialog.js"
};

static const unsigned char document_js[] = {
#embed "../../Flame/HearthConsole/Page/document.js"
};

static const unsigned char documents_js[] = {
#embed "../../Flame/HearthConsole/Page/documents.js"
};

static const unsigned char dom_js[] = {
#embed "../../Flame/HearthConsole/Page/dom.js"
};

static const unsigned char editor_js[] = {
#embed "../../Flame/HearthConsole/Page/editor.js"
};

static const unsigned char favicon_ico[] = {
#embed "../../Flame/HearthConsole/Page/favicon.ico"
};

static const unsigned char filters_js[] = {
#embed "../../Flame/HearthConsole/Page/filters.js"
};

static const unsigned char graph_js[] = {
#embed "../../Flame/HearthConsole/Page/graph.js"
};

static const unsigned char icon_svg[] = {
#embed "../../Flame/HearthConsole/Page/icon.svg"
};

static const unsigned char index_html[] = {
#embed "../../Flame/HearthConsole/Page/index.html"
};

static const unsigned char keys_js[] = {
#embed "../../Flame/HearthConsole/Page/keys.js"
};

static const unsigned char letters_js[] = {
#embed "../../Flame/HearthConsole/Page/letters.js"
};

static const unsigned char node_js[] = {
#embed "../../Flame/HearthConsole/Page/node.js"
};

static const unsigned char overview_js[] = {
#embed "../../Flame/HearthConsole/Page/overview.js"
};

static const unsigned char programs_js[] = {
#embed "../../Flame/HearthConsole/Page/programs.js"
};

static const unsigned char quantity_js[] = {
#embed "../../Flame/HearthConsole/Page/quantity.js"
};

static const unsigned char query_js[] = {
#embed "../../Flame/HearthConsole/Page/query.js"
};

static const unsigned char queue_js[] = {
#embed "../../Flame/HearthConsole/Page/queue.js"
};

static const unsigned char reads_js[] = {
#embed "../../Flame/HearthConsole/Page/reads.js"
};

static const unsigned char requests_js[] = {
#embed "../../Flame/HearthConsole/Page/requests.js"
};

static const unsigned char route_js[] = {
#embed "../../Flame/HearthConsole/Page/route.js"
};

static const unsigned char rows_js[] = {
#embed "../../Flame/HearthConsole/Page/rows.js"
};

static const unsigned char rules_js[] = {
#embed "../../Flame/HearthConsole/Page/rules.js"
};

static const unsigned char ruleseditor_js[] = {
#embed "../../Flame/HearthConsole/Page/ruleseditor.js"
};

static const unsigned char steering_js[] = {
#embed "../../Flame/HearthConsole/Page/steering.js"
};

static const unsigned char style_css[] = {
#embed "../../Flame/HearthConsole/Page/style.css"
};

static const unsigned char tree_js[] = {
#embed "../../Flame/HearthConsole/Page/tree.js"
};

static const unsigned char treetrial_js[] = {
#embed "../../Flame/HearthConsole/Page/treetrial.js"
};

static const unsigned char trial_js[] = {
#embed "../../Flame/HearthConsole/Page/trial.js"
};

static const unsigned char values_js[] = {
#embed "../../Flame/HearthConsole/Page/values.js"
};

static const unsigned char verdict_js[] = {
#embed "../../Flame/HearthConsole/Page/verdict.js"
};

static const unsigned char writing_js[] = {
#embed "../../Flame/HearthConsole/Page/writing.js"
};

static const struct hearth_page_file files[] = {
    {"api.js", api_js, sizeof api_js},
    {"app.js", app_js, sizeof app_js},
    {"asker.js", asker_js, sizeof asker_js},
    {"batchediting.js", batchediting_js, sizeof batchediting_js},
    {"batches.js", batches_js, sizeof batches_js},
    {"changes.js", changes_js, sizeof changes_js},
    {"collection.js", collection_js, sizeof collection_js},
    {"comparison.js", comparison_js, sizeof comparison_js},
    {"coverage.js", coverage_js, sizeof coverage_js},
    {"crumbs.js", crumbs_js, sizeof crumbs_js},
    {"daemon.js", daemon_js, sizeof daemon_js},
    {"data.js", data_js, sizeof data_js},
    {"dialog.js", dialog_js, sizeof dialog_js},
    {"document.js", document_js, sizeof document_js},
    {"documents.js", documents_js, sizeof documents_js},
    {"dom.js", dom_js, sizeof dom_js},
    {"editor.js", editor_js, sizeof editor_js},
    {"favicon.ico", favicon_ico, sizeof favicon_ico},
    {"filters.js", filters_js, sizeof filters_js},
    {"graph.js", graph_js, sizeof graph_js},
    {"icon.svg", icon_svg, sizeof icon_svg},
    {"index.html", index_html, sizeof index_html},
    {"keys.js", keys_js, sizeof keys_js},
    {"letters.js", letters_js, sizeof letters_js},
    {"node.js", node_js, sizeof node_js},
    {"overview.js", overview_js, sizeof overview_js},
    {"programs.js", programs_js, sizeof programs_js},
    {"quantity.js", quantity_js, sizeof quantity_js},
    {"query.js", query_js, sizeof query_js},
    {"queue.js", queue_js, sizeof queue_js},
    {"reads.js", reads_js, sizeof reads_js},
    {"requests.js", requests_js, sizeof requests_js},
    {"route.js", route_js, sizeof route_js},
    {"rows.js", rows_js, sizeof rows_js},
    {"rules.js", rules_js, sizeof rules_js},
    {"ruleseditor.js", ruleseditor_js, sizeof ruleseditor_js},
    {"steering.js", steering_js, sizeof steering_js},
    {"style.css", style_css, sizeof style_css},
    {"tree.js", tree_js, sizeof tree_js},
    {"treetrial.js", treetrial_js, sizeof treetrial_js},
    {"trial.js", trial_js, sizeof trial_js},
    {"values.js", values_js, sizeof values_js},
    {"verdict.js", verdict_js, sizeof verdict_js},
    {"writing.js", writing_js, sizeof writing_js},
};

size_t hearth_page_file_count(void) { return sizeof files / sizeof files[0]; }

struct hearth_page_file hearth_page_file(size_t number) { return files[number]; }
