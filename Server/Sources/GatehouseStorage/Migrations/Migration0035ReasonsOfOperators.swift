extension Migration {
    /// An index for the last reasons of an operator in an app, which the console offers for the next action.
    static let reasonsOfOperators = Migration(
        number: 35, name: "reasons of operators",
        statements: [
            "CREATE INDEX operator_actions_person ON operator_actions (operator_id, app_id, entry_id)"
        ])
}
