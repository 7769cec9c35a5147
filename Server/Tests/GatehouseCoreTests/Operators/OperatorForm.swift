import GatehouseSecurity
import GatehouseWire

@testable import GatehouseCore

/// Fills in the forms of operators' actions, without a server.
enum OperatorForm {
    /// What was typed.
    ///
    /// - Parameter moment: what every time of the form is; nil for none that can be read.
    static func values(_ texts: [String: String], until moment: Moment? = nil) -> InputValues {
        InputValues(texts) { _, _ in
            guard let moment else { throw InputProblems(["": "problem.time.form"]) }
            return moment
        }
    }

    /// The form of an action, as a person sees it.
    static func fields<A: OperatorAction>(
        _ action: A.Type, on target: ActionTarget, _ texts: [String: String] = [:], by caller: Caller
    ) async throws -> [InputField] {
        let context = try await context(of: caller)
        return try await caller.run(ReadForm(of: A(begun: target, values(texts), context), in: context.formLanguages))
    }

    static func context(of caller: Caller) async throws -> OperatorContext {
        OperatorContext(
            call: try await caller.core.context(address: caller.address), actor: caller.actor,
            services: caller.core.services, formLanguages: ["en", "ko"])
    }

    /// The fields at which something is wrong.
    static func problems(_ body: () async throws -> Void) async -> Set<String> {
        do { try await body() } catch let error as InputProblems { return Set(error.phrases.keys) } catch {}
        return []
    }

    /// Why an action can't be done, whatever is chosen; nil if it can.
    static func impossible(_ body: () async throws -> Void) async -> ImpossibleAction? {
        do { try await body() } catch { return error as? ImpossibleAction }
        return nil
    }

    /// What is sent of a form that was opened, with what was typed into it.
    static func sent(_ fields: [InputField], _ typed: [String: String] = [:]) -> [String: String] {
        Dictionary(uniqueKeysWithValues: fields.map { ($0.name, $0.value) }).merging(typed) { $1 }
    }

    /// Does what was confirmed, and returns the id of its record.
    ///
    /// - Parameter once: the page's mark. An action that is done twice needs two.
    static func confirm<A: OperatorAction>(
        _ action: A, on target: ActionTarget, by person: Operator, as role: OperatorRole = A.about.role,
        at core: TestCore, once: String = "\(A.self)"
    ) async throws -> String? {
        let confirmation = ActionConfirmation(
            action: A.about.name, target: target, person: person.id, ticket: nil, once: once, seen: nil)
        try await core.operator(person, as: role, confirmation: confirmation).run(action)
        // Nodes know an app's new settings within a second.
        core.clock.advance(seconds: 2)
        return try await core.operator(person, as: role).run(.operatorRecords(limit: 1)).first?.id
    }
}
