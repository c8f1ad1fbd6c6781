# A fountain of 6,000 particles. Godot 3 moves particles in a vertex shader and captures its outputs by transform
# feedback. After 240 frames, the program saves an image to the file in the variable PICTURE, and ends.
extends Node2D

var frames = 0

func _ready():
    var process = ParticlesMaterial.new()
    process.flag_disable_z = true
    process.direction = Vector3(0, -1, 0)
    process.spread = 16.0
    process.gravity = Vector3(0, 200, 0)
    process.initial_velocity = 340.0
    process.initial_velocity_random = 0.2
    process.scale = 3.0
    process.scale_random = 0.7
    var ramp = Gradient.new()
    ramp.set_color(0, Color(0.45, 0.85, 1.0, 0.9))
    ramp.set_color(1, Color(0.6, 0.1, 0.9, 0.0))
    ramp.add_point(0.4, Color(0.25, 0.45, 1.0, 0.7))
    process.color_ramp = GradientTexture.new()
    process.color_ramp.gradient = ramp
    var added = CanvasItemMaterial.new()
    added.blend_mode = CanvasItemMaterial.BLEND_MODE_ADD
    var particles = Particles2D.new()
    particles.amount = 6000
    particles.lifetime = 3.2
    particles.position = Vector2(320, 335)
    particles.visibility_rect = Rect2(-400, -400, 800, 800)
    particles.process_material = process
    particles.material = added
    add_child(particles)

func _process(_delta):
    frames += 1
    if frames < 240:
        return
    set_process(false)
    yield(VisualServer, "frame_post_draw")
    var picture = get_viewport().get_texture().get_data()
    picture.flip_y()
    picture.save_png(OS.get_environment("PICTURE"))
    get_tree().quit()
