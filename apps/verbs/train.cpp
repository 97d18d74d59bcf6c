#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <optional>

#include "apps/cli/version.hpp"
#include "apps/config/environment.hpp"
#include "apps/config/model_keys.hpp"
#include "apps/config/render.hpp"
#include "apps/config/resolve.hpp"
#include "apps/data/load.hpp"
#include "apps/doctor/built_for.hpp"
#include "apps/run/console.hpp"
#include "apps/run/metrics.hpp"
#include "apps/run/run_directory.hpp"
#include "apps/train/continuation.hpp"
#include "apps/train/machine.hpp"
#include "apps/train/narration.hpp"
#include "apps/train/plan_file.hpp"
#include "apps/train/saving.hpp"
#include "apps/train/signals.hpp"
#include "apps/train/training.hpp"
#include "apps/verbs/verbs.hpp"
#include "codelets/registry.hpp"

namespace pleiad {
namespace {

double now_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

Console make_console(const Command& c, const Environment& environment) {
  std::FILE* out = c.json ? stderr : stdout;
  return Console({.out = out,
                  .table = is_terminal(out),
                  .color = wants_color(c.color, out),
                  .quiet = c.quiet || environment.log == "quiet"});
}

/// One `pleiad train`, from the command line to the exit code. Members are made in the order in which a training needs
/// them and die in the opposite one.
class TrainVerb {
 public:
  explicit TrainVerb(const Command& command)
      : command_(command),
        environment_(read_environment()),
        resolved_(resolve(command.args.empty() ? "" : command.args[0], command.settings)),
        console_(make_console(command, environment_)) {
    check_complete(resolved_);
    if (!command.runs.empty()) environment_.runs = command.runs;
  }

  int run() {
    std::optional<StopSignals> signals;  // from the first moment: batch systems send theirs early
    if (config().checkpoint.on_signal) signals.emplace();
    prepare();
    if (command_.dry_run) {
      make_plan_and_say();
      return static_cast<int>(Exit::ok);
    }
    open_run();
    try {
      make_plan_and_say();
      return static_cast<int>(train());
    } catch (const Error& e) {
      fail(e);
      throw;
    }
  }

 private:
  const Config& config() const { return resolved_.config; }
  DataShape data_shape() const { return {data_->train.sample_shape, data_->train.classes}; }
  double predicted_ms() const { return planned_->estimate.step_us * 1e-3; }

  /// Everything that can be found wrong before anything is written.
  void prepare() {
    data_ = load_data(config().data, environment_.data_path, config().run.seed, context_of(config().model));
    workers_ = choose_workers(config());
    model_ = training_model(config(), data_shape(), config().train.batch);
    if (!command_.plan.empty()) given_plan_ = read_plan_file(command_.plan);
  }

  void open_run() {
    run_.emplace(RunDirectory::open({.runs = environment_.runs,
                                     .name = config().run.name,
                                     .title = resolved_.title,
                                     .resume = parse_resume(command_.resume),
                                     .argv = command_.words}));
    console_.log_to(run_->path() / "log" / "rank0.log");
    console_.say("pleiad", fmt::format("{} · run {}{}", version(), run_->record().name,
                                       run_->is_resumed() ? fmt::format(" · segment {}", run_->segment()) : ""));
    log_.emplace(run_->path());
    log_->event("start", {{"pid", static_cast<Index>(getpid())}});
    continuation_ = find_continuation(*run_, config(), *data_);
    resolved_.config.run.name = run_->record().name;
    write_file_atomically(run_->path() / "config.toml", resolved_toml(resolved_));
  }

  void make_plan_and_say() {
    machine_ = measured_machine(workers_, environment_.home);
    times_.emplace((model_folder(environment_.home, *machine_) / "kernels.json").string());
    times_->load();
    if (!times_->note().empty()) console_.say("warning", times_->note());
    say_facts();
    planned_ = plan();
    if (planned_->timed > 0) {
      keep_times();
      console_.say("perf",
                   fmt::format("{} kernels not timed on this machine yet: timed in {:.1f} s, kept for next time",
                               planned_->timed, planned_->timing_us * 1e-6));
    }
    engine_.emplace(config(), workers_, *machine_, (model_folder(environment_.home, *machine_) / "starpu").string());
    for (const auto& variable : engine_->overridden())
      console_.say("note", fmt::format("{} from your environment goes before the config", variable));
    if (workers_.opencl > 0 && opencl_is_on_cpus())
      console_.say("note", "OpenCL runs on the CPU cores here: that tries GPU kernels, and makes nothing faster");
    console_.say("plan", describe_plan(*planned_, config().train.batch, engine_->policy()));
    console_.say("memory", describe_memory(*planned_, *machine_, host_share()));
    const Index epoch = (data_->train.size() + config().train.batch - 1) / config().train.batch;
    const Index steps = config().train.steps > 0 ? config().train.steps : config().train.epochs * epoch;
    console_.say("predict", describe_prediction(predicted_ms(), epoch, steps - continuation_.state.step));
  }

  /// A training does not fail for want of a place to keep times.
  void keep_times() {
    try {
      times_->save();
    } catch (const Error& e) {
      console_.say("warning", e.what());
    }
  }

  void say_facts() {
    console_.say("machine",
                 fmt::format("{} · StarPU {} · {}", summary(*machine_), Session::version(), workers_text(*machine_)));
    const Dataset& d = data_->train;
    const auto shape = to_string(d.sample_shape) + (d.is_text()                  ? " tokens"
                                                    : d.sample_shape.rank() == 1 ? " features"
                                                                                 : "");
    console_.say("data", fmt::format("{}: {} train, {} test, {}, {} classes", d.name, d.size(), data_->val.size(),
                                     shape, d.classes));
    console_.say("model", describe_model(config(), *model_, data_shape()));
  }

  double host_share() const {
    const MemoryLimit& limit = config().memory.host;
    if (limit.bytes == 0) return limit.share;
    return static_cast<double>(limit.bytes) / static_cast<double>(usable_bytes(*machine_, 1));
  }

  /// The plan given by --plan, or that of the run where it still holds, else a new one.
  Planned plan() {
    const auto known = given_plan_ ? given_plan_ : continuation_.plan_for(*machine_, config());
    if (!known) return make_plan(model_->graph(), model_->classes, *machine_, *times_, request());
    check_plan(known->plan, model_->classes);
    auto planned = apply_plan(model_->graph(), model_->classes, *machine_, *times_, known->plan, model_->results());
    check_memory(planned.memory, *machine_, host_share());
    return planned;
  }

  PlanRequest request() const {
    PlanRequest r;
    r.batch_tiles = tile_sizes(config());
    r.deterministic = config().numerics.deterministic;
    if (config().schedule.grain) r.grain_us = config().schedule.grain->seconds * 1e6;
    r.keep = model_->results();
    r.memory_share = host_share();
    r.rebuild = [this](Index batch) { return training_model(config(), data_shape(), batch).graph(); };
    return r;
  }

  Exit train() {
    write_file_atomically(run_->path() / "machine.json", to_json(*machine_));
    write_plan_file(run_->path() / "plan.json", *planned_, *machine_);
    executor_ = engine_->executor(model_->graph(), planned_->tasks);
    evaluation_.emplace(config(), data_->val, *engine_, *machine_, *times_);
    training_.emplace(config(), data_->train, *model_, *executor_, &*evaluation_);
    begin();
    const Ending ending = training_->run(
        {.row = [this](const Row& row) { show(row); }, .checkpoint = [this](const Position&) { checkpoint(); }});
    console_.end_progress();
    const Exit exit = ending == Ending::finished ? Exit::ok : Exit::requeue;
    const bool moved = training_->position().steps > continuation_.state.step;
    if (moved || !continuation_.checkpoint) checkpoint();
    conclude(ending);
    run_->finish(exit, training_->position().steps,
                 exit == Exit::ok ? "finished" : StopSignals::name(StopSignals::received()));
    console_.say_always("run", run_->path().string());
    return exit;
  }

  void begin() {
    const auto& from = continuation_;
    for (const auto& reason : from.skipped) console_.say("warning", reason);
    run_->begin_at(from.state.step);
    if (!from.checkpoint) return initialise(config(), *model_, *executor_);
    restore(*from.checkpoint, *model_, *executor_);
    training_->position() = {.steps = from.state.step, .best_accuracy = from.state.best_accuracy.value_or(-1)};
    console_.say("resume", fmt::format("{}, sample {} (epoch {}), optimizer and data order exact",
                                       from.checkpoint->path.filename().string(),
                                       with_commas(static_cast<double>(from.state.samples)), from.state.epoch));
    log_->event("resume", {{"step", from.state.step}});
  }

  void show(const Row& row) {
    log_->metrics(metrics_row(row, predicted_ms(), run_->segment(), engine_->worker_names()));
    console_.progress(console_row(row, predicted_ms()), now_seconds());
  }

  TrainingState state() {
    const Position& at = training_->position();
    const Index epoch_steps = training_->steps_per_epoch();
    TrainingState s = continuation_.fingerprint;
    s.step = at.steps;
    s.samples = training_->samples_seen();
    s.epoch = at.steps / epoch_steps;
    s.epoch_position = at.steps % epoch_steps;
    s.steps = training_->total_steps();
    s.lr = training_->last_lr();
    if (at.best_accuracy >= 0) s.best_accuracy = at.best_accuracy;
    return s;
  }

  void checkpoint() {
    const double start = now_seconds();
    const ModelCard card{config().model, data_->train.sample_shape, data_->train.classes, config().numerics.dtype};
    const auto path = save(run_->checkpoints(), card, state(), *model_, *executor_,
                           {config().checkpoint.keep, config().checkpoint.keep_every});
    last_checkpoint_ = path;
    log_->event("checkpoint", {{"step", training_->position().steps}, {"path", path.filename().string()}});
    if (command_.verbose)
      console_.say("saved", fmt::format("{} in {:.2f} s", path.filename().string(), now_seconds() - start));
  }

  void conclude(Ending ending) {
    const Account& account = training_->account();
    if (ending == Ending::signal) {
      const char* name = StopSignals::name(StopSignals::received());
      log_->event("signal", {{"signal", name}, {"step", training_->position().steps}});
      console_.say("signal", fmt::format("{}: stopped after step {}, checkpoint {}", name, training_->position().steps,
                                         last_checkpoint_.filename().string()));
    } else {
      console_.say("done", done_text(account));
    }
    if (account.steps > 0) console_.say("time", describe_time(account, predicted_ms(), training_->median_step_ms()));
    if (gpu_worker(*machine_) != nullptr) console_.say("devices", describe_devices(account, engine_->worker_names()));
    if (ending == Ending::signal) console_.say("next", "the same command with --resume auto goes on");
  }

  std::string done_text(const Account& account) {
    const auto& score = training_->last_score();
    return fmt::format("{} steps in {}{}", training_->position().steps, duration_text(account.wall),
                       score ? fmt::format(" · test accuracy {:.1f} %", 100 * score->accuracy) : "");
  }

  /// Notes in the run folder why the training failed. A stalled StarPU cannot be shut down, so that process ends here.
  void fail(const Error& e) {
    const Index step = training_ ? training_->position().steps : continuation_.state.step;
    try {
      console_.end_progress();
      run_->finish(e.exit(), step, e.what());
      log_->event("failed", {{"step", step}, {"exit", static_cast<Index>(e.exit())}});
      if (e.exit() == Exit::stalled) write_file_atomically(run_->path() / "log" / "stall.txt", e.what());
    } catch (const Error& second) {
      std::fputs(fmt::format("warning  {}\n", second.what()).c_str(), stderr);
    }
    if (e.exit() == Exit::diverged && !last_checkpoint_.empty())
      console_.say("note", fmt::format("last good checkpoint: {}", last_checkpoint_.string()));
    console_.say_always("run", run_->path().string());
    if (e.exit() != Exit::stalled) return;
    std::fputs(fmt::format("error    {}\n", e.what()).c_str(), stderr);
    std::_Exit(static_cast<int>(Exit::stalled));
  }

  Command command_;
  Environment environment_;
  ResolvedConfig resolved_;
  Console console_;
  std::optional<DataSplit> data_;
  WorkerChoice workers_;
  std::optional<Model> model_;
  std::optional<PlanFile> given_plan_;
  std::optional<RunDirectory> run_;
  std::optional<RunLog> log_;
  Continuation continuation_;
  std::optional<Machine> machine_;
  std::optional<KernelTimes> times_;
  std::optional<Planned> planned_;
  std::optional<Engine> engine_;
  std::unique_ptr<Executor> executor_;
  std::optional<Evaluation> evaluation_;
  std::optional<Training> training_;
  std::filesystem::path last_checkpoint_;
};

}  // namespace

int run_train(const Command& command) {
  check_instructions();
  check_registry();
  return TrainVerb(command).run();
}

}  // namespace pleiad
